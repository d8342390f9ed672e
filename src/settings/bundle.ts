// Contract: what the hook needs of the settings where no usable index exists: one text -> the index and its parts. PURE.
// Built as a bundle of its own (yaml and zod are in it), loaded only when a document has to be read as text.
import type { OperatorRule } from '../policy/operator.ts';
import type { SourceStamp } from '../model/table.ts';
import { NO_CONTRACT_SETTINGS, type PolicyMeta } from '../policy/operator-index.ts';
import { compileOperator, compileWorkspace, type Compiled, type CompileTools } from './compile.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { encodeIndex } from './index-writer.ts';

export interface CompiledText {
  readonly meta: PolicyMeta;
  readonly rules: readonly OperatorRule[];
  readonly bytes: Uint8Array;
  /** Errors where the document is invalid, else warnings. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Line, column and what is wrong; never a value. */
function complaint(diagnostic: Diagnostic | undefined): string {
  if (diagnostic === undefined) return 'invalid';
  const { line, column } = diagnostic.where ?? {};
  return `${line === undefined ? '' : `${line}:${column ?? 1} `}${diagnostic.message}`.slice(0, 300);
}

/** `beneath`: what is in force besides the person's own document, which is the only source that a hook looks at. */
export function indexOf(compiled: Compiled, engine: string, sources: readonly SourceStamp[], beneath?: PolicyMeta['beneath']): CompiledText {
  const meta: PolicyMeta = { ...compiled.meta, engine, sources, ...(beneath === undefined ? {} : { beneath }) };
  return { meta, rules: compiled.rules, bytes: encodeIndex(meta, compiled.rules), diagnostics: compiled.notes };
}

/** An invalid text gives an index too: it says so, so that the text is not read again at every call. */
export function compileText(layer: 'operator' | 'workspace', engine: string, source: SourceStamp, text: string | undefined, tools: CompileTools): CompiledText {
  const result = text === undefined ? undefined : (layer === 'operator' ? compileOperator : compileWorkspace)(source.path, text, tools);
  if (result?.ok === true) {
    return indexOf(result.compiled, engine, [source]);
  }
  const problem = result === undefined ? 'it is no readable text file, or too large to be read by a hook' : complaint(result.diagnostics[0]);
  const meta: PolicyMeta = { engine, digest: '', sources: [source], problem, mode: 'default', packs: {}, rules: {}, evaluators: [], rows: 0, contract: NO_CONTRACT_SETTINGS };
  return { meta, rules: [], bytes: encodeIndex(meta, []), diagnostics: result?.diagnostics ?? [] };
}
