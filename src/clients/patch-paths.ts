// Contract: the files that an `apply_patch` text adds, changes, deletes or moves to. PURE.

const HEADERS = ['*** Add File: ', '*** Update File: ', '*** Delete File: ', '*** Move to: '];
/** A patch with more headers than this is still read; only this many paths are reported. */
export const PATCH_PATHS_MAX = 4096;

export function patchPaths(patch: string): string[] {
  const paths: string[] = [];
  for (const raw of patch.split('\n')) {
    const line = raw.trim();
    if (!line.startsWith('*** ')) continue;
    const header = HEADERS.find((h) => line.startsWith(h));
    if (header !== undefined && paths.length < PATCH_PATHS_MAX) paths.push(line.slice(header.length).trim());
  }
  return paths;
}
