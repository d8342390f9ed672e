// Contract: commands of an ordinary day are neutral, whatever words stand in them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { said, shell } from '../support.ts';

/** One command a line; `\n` in here-documents is written out. */
const commands = readFileSync(join(import.meta.dirname, 'everyday.txt'), 'utf8').trim().split('\n')
  .map((line) => (line.includes('<<') ? line.replaceAll('\\n', '\n') : line));

describe('every day', () => {
  test('the list is long', () => { expect(commands.length).toBeGreaterThanOrEqual(300); });
  test.each(commands)('%s', (command) => { expect(said(shell(command))).toBe('neutral'); });
});
