// Contract: variables by which a person moves a client's directory. A wrong one is an error, never a fallback:
// the client would look elsewhere than we write (Codex 0.171.0 refuses to start for a missing CODEX_HOME). PURE.
import { PraetorError } from '../model/diagnostic.ts';
import type { RootContext } from '../model/client.ts';
import { isAbsolutePath } from './paths.ts';

/** The path that a variable names, or undefined where it is unset or empty. Throws on a relative one. */
export function overridePath(context: RootContext, client: string, name: string): string | undefined {
  const value = context.env[name];
  if (value === undefined || value === '') return undefined;
  if (isAbsolutePath(context.platform, value)) return value;
  throw new PraetorError({ code: 'root-override-relative', client, message: `${name} is not an absolute path`, fix: `set ${name} to an absolute path or unset it` });
}

/** The directory that a variable names, or undefined where it is unset or empty. Throws on a relative or missing one. */
export function overrideDir(context: RootContext, client: string, name: string): string | undefined {
  const value = overridePath(context, client, name);
  if (value !== undefined && !context.dirExists(value)) {
    throw new PraetorError({
      code: 'root-override-missing', client, message: `${name} names a directory that does not exist`,
      fix: `create the directory that ${name} names or unset it`,
    });
  }
  return value;
}
