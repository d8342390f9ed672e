// Contract: SQL is read as SQL: comments, strings and quoted names are data, wherever a dangerous word stands in them.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sqlEffect, statements } from '../../../src/policy/rules/sql-text.ts';

describe('effects', () => {
  test.each(['DROP TABLE t', 'drop database x', 'DROP SCHEMA public CASCADE', 'TRUNCATE t', 'TRUNCATE TABLE a, b', 'DELETE FROM t', 'delete from t;', 'UPDATE t SET a = 1', 'DELETE FROM t WHERE true', 'DELETE FROM t WHERE 1 = 1', "SELECT 1; DROP TABLE t", '/*!40000 DROP TABLE t */', 'WITH a AS (SELECT 1) DELETE FROM t', 'EXPLAIN ANALYZE DELETE FROM t', 'DROP TABLE IF EXISTS t', 'DROP ROLE x', "COPY t FROM PROGRAM 'id'", "EXEC master..xp_cmdshell 'dir'"])('%s: deny', (sql) => {
    expect(sqlEffect(sql)).toBe('deny');
  });
  test.each(['ALTER TABLE t DROP COLUMN a', 'DROP INDEX i', 'DROP VIEW v'])('%s: ask', (sql) => { expect(sqlEffect(sql)).toBe('ask'); });
  test.each(['SELECT 1', "SELECT 'DROP TABLE t'", 'SELECT "DROP TABLE t"', '-- DROP TABLE t', '# DROP TABLE t', '/* DROP TABLE t; */ SELECT 1', 'SELECT $$DROP TABLE t$$', 'SELECT $x$ ; DROP TABLE t $x$', 'DELETE FROM t WHERE id = 1', 'UPDATE t SET a = 1 WHERE b = 2', 'EXPLAIN DELETE FROM t', "SELECT 'it''s; DROP TABLE t'", 'INSERT INTO drops VALUES (1)', 'CREATE TABLE t (d int)', 'BEGIN; DELETE FROM t; ROLLBACK', 'DELETE FROM t LIMIT 5', 'DROP TEMPORARY TABLE t', "SELECT 'a\\'; DROP TABLE t; --'", 'SELECT count(*) FROM truncate_log', 'GRANT SELECT ON t TO u', '.tables', ''])('%s: nothing', (sql) => {
    expect(sqlEffect(sql)).toBeUndefined();
  });
});

describe('data stays data', () => {
  const danger = fc.constantFrom('DROP TABLE t', 'TRUNCATE t', 'DELETE FROM t', 'UPDATE t SET a = 1');
  test('in strings, names and comments, at every place', () => {
    const wrap = fc.constantFrom((s: string) => `'${s}'`, (s: string) => `"${s}"`, (s: string) => `/* ${s} */ 1`, (s: string) => `1 -- ${s}\n`, (s: string) => `$$${s}$$`, (s: string) => `\`${s}\``);
    fc.assert(fc.property(danger, wrap, wrap, (sql, one, two) => {
      expect(sqlEffect(`SELECT ${one(sql)}, ${two(sql)}`)).toBeUndefined();
      expect(sqlEffect(`SELECT ${one(sql)};\n${sql}`)).toBe('deny');
    }));
  });
  test('any text is read without a throw, in linear time', () => {
    fc.assert(fc.property(fc.string({ maxLength: 200 }), (text) => { statements(text); }));
    const started = performance.now();
    for (const piece of ["'", '$a', '/*', '--', '"', ';', 'WITH a AS (', '$$'] ) sqlEffect(piece.repeat(100_000));
    expect(performance.now() - started).toBeLessThan(2000);
  });
});
