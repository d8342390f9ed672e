// Contract: throw-away homes for tests, and trees as values to compare.
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { realHost } from '../../src/host.ts';
import type { Host } from '../../src/host.ts';
import type { StateDirs } from '../../src/clientsetup/statefiles.ts';

export interface TempHome {
  readonly root: string;
  readonly home: string;
  readonly dirs: StateDirs;
  readonly host: Host;
  readonly remove: () => void;
}

/** Memory, where there is such a thing: the tests flush thousands of files. */
function tempBase(): string {
  return fs.existsSync('/dev/shm') ? '/dev/shm' : fs.realpathSync(os.tmpdir());
}

export function stateDirs(root: string): StateDirs {
  const state = path.join(root, 'state');
  return { state, runs: path.join(state, 'runs'), locks: path.join(state, 'locks') };
}

export function tempHome(): TempHome {
  const root = fs.mkdtempSync(path.join(tempBase(), 'praetorctl-'));
  const home = path.join(root, 'home');
  fs.mkdirSync(home);
  return {
    root, home, dirs: stateDirs(root), host: realHost({ env: { HOME: home }, cwd: home }),
    remove: () => { fs.rmSync(root, { recursive: true, force: true }); },
  };
}

/** Writes files, with their directories. */
export function put(file: string, text: string, mode = 0o644): void {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
  fs.chmodSync(file, mode);
}

/** Everything below a directory as a host sees it: kind, mode, owner and content, or the text of a link. */
export function treeOf(host: Host, root: string): Readonly<Record<string, string>> {
  const tree: Record<string, string> = {};
  const visit = (at: string): void => {
    for (const name of host.readDir(at)) {
      const full = path.join(at, name);
      const stat = host.lstat(full);
      const key = path.relative(root, full);
      if (stat === undefined) continue;
      const head = `${stat.kind} ${stat.mode.toString(8)} ${stat.uid}`;
      if (stat.kind === 'dir') { tree[key] = head; visit(full); }
      else if (stat.kind === 'link') tree[key] = `link ${host.readlink(full)}`;
      else if (stat.kind === 'file') tree[key] = `${head} ${new TextDecoder().decode(host.readFile(full, 1 << 20))}`;
      else tree[key] = head;
    }
  };
  if (host.lstat(root) !== undefined) visit(root);
  return tree;
}

/** Temp files anywhere below a directory. */
export function tempsIn(host: Host, root: string): readonly string[] {
  return Object.keys(treeOf(host, root)).filter((name) => /\.praetorctl-.*\.tmp$/.test(name));
}
