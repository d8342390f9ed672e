// Contract: our block in a person's crontab: everything outside the two markers stays character by character, and a table that
// changed since it was read is not written over. Reads and writes through `crontab`, which is the only door to that file.
import type { Host } from '../host.ts';
import { PraetorError } from '../model/diagnostic.ts';
import { CRON_BEGIN, CRON_END } from './schedule-render.ts';
import { runCommandOf, saidBy, type Command } from './scheduler.ts';

export const CRONTAB_WRITE = (input: string): Command => ({ program: 'crontab', args: ['-'], input });

export function readCrontab(host: Host): string {
  const result = runCommandOf(host, { program: 'crontab', args: ['-l'] });
  if (result.code === 0) return result.stdout;
  if (result.code === 1 && /no crontab for/i.test(result.stderr)) return '';
  throw new PraetorError({ code: 'command-failed', message: `the crontab cannot be read: ${saidBy(result)}`, fix: 'see what this says: crontab -l' });
}

/** The table with this block, or without one. PURE. */
export function withBlock(table: string, block: string | undefined): string {
  const lines = table.split('\n');
  const at = (marker: string): number[] => lines.flatMap((line, index) => (line.trimEnd() === marker ? [index] : []));
  const [begins, ends] = [at(CRON_BEGIN), at(CRON_END)];
  const [begin, end] = [begins[0], ends[0]];
  if (begins.length > 1 || ends.length > 1 || begins.length !== ends.length || (begin !== undefined && end !== undefined && end < begin)) {
    throw new PraetorError({ code: 'invalid-document', message: 'the markers of our block in the crontab do not stand once each and in order', fix: 'correct them with crontab -e, then run the command again' });
  }
  if (begin !== undefined && end !== undefined) return [...lines.slice(0, begin), ...(block === undefined ? [] : block.trimEnd().split('\n')), ...lines.slice(end + 1)].join('\n');
  if (block === undefined) return table;
  return `${table}${table === '' || table.endsWith('\n') ? '' : '\n'}${block}`;
}

/** Compare, swap, read back. */
export function writeCrontab(host: Host, before: string, after: string): void {
  if (readCrontab(host) !== before) throw new PraetorError({ code: 'changed-underneath', message: 'the crontab was changed since it was read', fix: 'run the command again' });
  const result = runCommandOf(host, CRONTAB_WRITE(after));
  if (result.code !== 0) throw new PraetorError({ code: 'command-failed', message: `the crontab was not taken: ${saidBy(result)}`, fix: 'see who may use cron here: /etc/cron.allow, /etc/cron.deny' });
  if (readCrontab(host) !== after) throw new PraetorError({ code: 'readback-failed', message: 'the crontab was written, but reading it back shows another one', fix: 'look at it: crontab -l' });
}
