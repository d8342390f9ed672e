// Contract: rules about databases: statements that lose data, and tools that drop or reset them. PURE.
import { readOptions, type OptionSpec } from '../shell/options.ts';
import type { Effective, Hit, Rule, Word } from '../types.ts';
import { alwaysRule, head, rule, tableRule, type Check } from './kit.ts';
import { isHelp, listed } from './options.ts';
import { sqlEffect } from './sql-text.ts';

const PACK = 'sql';

interface Client { readonly spec: OptionSpec; readonly texts: string; /** Operands from this one on are SQL. */ readonly from?: number; readonly verb?: string }

const PSQL: Client = { spec: { exact: true, valued: 'cdfhpUvoPFRTL', longs: 'command= dbname= file= host= port= username= set= variable= output= pset= field-separator=' }, texts: '-c --command' };
const MYSQL: Client = { spec: { exact: true, valued: 'ehuPDS', attached: 'p', longs: 'execute= host= user= port= database= password? socket= defaults-file= init-command=' }, texts: '-e --execute --init-command' };
const SQLITE: Client = { spec: { exact: true, oneDash: true, longs: 'cmd= init= separator= nullvalue=' }, texts: '--cmd', from: 1 };
const QUERY: Client = { spec: { exact: true, valued: 'qQhudpPSUiebtgc', longs: 'query= queries-file= host= port= user= password= database= execute= command= url= connection-string= client=' }, texts: '-q -Q -e -c --query --execute --command' };

const CLIENTS: Readonly<Record<string, Client>> = {
  psql: PSQL, pgcli: PSQL, mysql: MYSQL, mariadb: MYSQL, mycli: MYSQL, mycli3: MYSQL, sqlite3: SQLITE, sqlite: SQLITE, 'litecli': QUERY, duckdb: { ...QUERY, from: 1 }, 'clickhouse-client': QUERY, clickhouse: QUERY, sqlcmd: QUERY, 'mssql-cli': QUERY, usql: PSQL, cockroach: QUERY, snowsql: QUERY, 'spark-sql': QUERY, beeline: QUERY, hive: QUERY, cqlsh: QUERY, 'impala-shell': QUERY, trino: QUERY, presto: QUERY, ysqlsh: PSQL, 'sqlplus': QUERY, isql: QUERY, bq: { ...QUERY, from: 1, verb: 'query' }, wrangler: { ...QUERY, verb: 'd1' }, turso: { ...QUERY, from: 3, verb: 'db' }, heroku: { ...QUERY, verb: 'pg:psql' }, supabase: QUERY, prisma: { ...QUERY, verb: 'db' },
};

/** Databases that nobody keeps. */
function isScratch({ program }: Effective, operands: readonly Word[]): boolean {
  const name = operands[0]?.text ?? '';
  return listed('sqlite3 sqlite duckdb', program) && (name === ':memory:' || name === '' || name.startsWith('/tmp/') || name.startsWith('/var/tmp/'));
}

const statements: Check = (effective) => {
  const client = Object.prototype.hasOwnProperty.call(CLIENTS, effective.program) ? CLIENTS[effective.program] : undefined;
  if (client === undefined || isHelp(effective.args)) return undefined;
  const read = readOptions(effective.args, client.spec);
  if (client.verb !== undefined && read.operands[0]?.text !== client.verb) return undefined;
  if (isScratch(effective, read.operands)) return undefined;
  const texts: { readonly text: string; readonly at: Word | undefined }[] = [];
  for (const { name, value, word, valueWord } of read.options) if (value !== undefined && listed(client.texts, name)) texts.push({ text: value, at: valueWord ?? word });
  if (client.from !== undefined) for (const word of read.operands.slice(client.from)) texts.push({ text: word.text, at: word });
  if (texts.length === 0 || effective.command.input.length > 0) for (const text of effective.inputs) texts.push({ text, at: undefined });
  let weak: Hit | undefined;
  for (const { text, at } of texts) {
    const effect = sqlEffect(text);
    if (effect === 'deny') return { at };
    if (effect === 'ask') weak ??= { at, decision: 'ask' };
  }
  return weak;
};

// ---- databases with other languages ----

/** JavaScript with its strings and comments left out. */
function bare(code: string): string {
  return code.replace(/\/\*[\s\S]{0,10000}?\*\/|\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/gu, '""');
}

const mongo: Check = (effective) => {
  const read = readOptions(effective.args, { exact: true, longs: 'eval= host= port= username= password= authenticationDatabase= file= quiet', valued: 'uphf' });
  const codes = [...read.options.filter(({ name, value }) => name === '--eval' && value !== undefined).map(({ value, valueWord, word }) => ({ text: value ?? '', at: valueWord ?? word })), ...effective.inputs.map((text) => ({ text, at: undefined }))];
  for (const { text, at } of codes) {
    const code = bare(text).replace(/\s+/gu, '');
    if (/\.dropDatabase\(|\.drop\(\)|\.drop\(\{|\.(?:deleteMany|remove)\(\{\}|\.remove\(\)|\.dropUser\(|\.dropAllUsersFromDatabase\(|\.shutdownServer\(|\.dropIndexes\(/u.test(code)) return { at };
  }
  return undefined;
};

const REDIS_LOSSES = 'FLUSHALL FLUSHDB SHUTDOWN DEBUG SWAPDB';

const redis: Check = (effective) => {
  const read = readOptions(effective.args, { exact: true, leading: true, valued: 'hpsanurid', longs: 'user= pass= sni= cacert= cert= key= pattern=' });
  const words = effective.args.slice(read.rest);
  const verb = words[0];
  if (verb !== undefined && listed(REDIS_LOSSES, verb.text.toUpperCase())) return { at: verb };
  if (effective.chain.includes('xargs') && verb !== undefined && listed('DEL UNLINK', verb.text.toUpperCase())) return { at: verb };
  const input = effective.inputs.some((text) => text.split('\n').some((line) => listed(REDIS_LOSSES, line.trim().split(' ')[0]?.toUpperCase() ?? '')));
  return input && verb === undefined ? {} : undefined;
};

// ---- tools of frameworks ----

const RESET = 'This drops or empties a database. Make a new migration, use a database of your own for tests, or ask the person.';
const RAILS = ['db:drop*|db:reset*|db:schema:load*|db:migrate:reset*|db:truncate_all|db:purge*|db:seed:replant|db:structure:load'];
const SEQUELIZE = ['db:drop|db:migrate:undo:all'];
const MANAGE = ['flush|reset_db|sqlclear', 'migrate * zero'];
const ARTISAN = ['migrate:fresh|migrate:reset|migrate:refresh|db:wipe'];
const DOCTRINE = ['doctrine:database:drop|doctrine:schema:drop|d:d:d --force|-f', 'doctrine:fixtures:load --no-interaction|-n'];

const TOOLS: Readonly<Record<string, readonly string[]>> = {
  rails: RAILS, rake: RAILS, sequelize: SEQUELIZE, 'sequelize-cli': SEQUELIZE, prisma: ['migrate reset', 'db push --force-reset|--accept-data-loss'], knex: ['migrate:rollback --all|-a', 'migrate:down --all'], typeorm: ['schema:drop'], 'typeorm-ts-node-commonjs': ['schema:drop'], 'drizzle-kit': ['drop', 'push --force'], alembic: ['downgrade base|-*'], 'django-admin': MANAGE, 'manage.py': MANAGE, flask: ['db downgrade base'],
  artisan: ARTISAN, console: DOCTRINE, flyway: ['clean'], liquibase: ['dropAll|drop-all|rollback-*'], diesel: ['database reset|drop'], sqlx: ['database drop|reset', 'db drop|reset'], dbmate: ['drop'], goose: ['reset', '** reset', '** down-to 0'], migrate: ['drop', 'down -all|--all'], wp: ['db reset|drop|clean', 'site empty'], drush: ['sql-drop|sql:drop|site-install'], supabase: ['db reset'], mikroorm: ['schema:drop|schema:fresh|migration:fresh'], 'mikro-orm': ['schema:drop|schema:fresh|migration:fresh'], mix: ['ecto.drop|ecto.reset|ecto.rollback --all', 'ecto.drop|ecto.reset'], 'ef': ['database drop'], dotnet: ['ef database drop'], edgedb: ['database drop|wipe', 'instance destroy'], gel: ['database drop', 'instance destroy'], mongorestore: ['--drop'], pg_restore: ['-c|--clean'], influx: ['delete', 'bucket delete'], curator_cli: ['delete-indices'], mysqladmin: ['drop|shutdown', '** drop'],
};

/** `php artisan ...`, `python manage.py ...`, `bin/console ...`: the tool is the first operand of an interpreter. */
const scripted: Check = ({ program, args }) => {
  const at = args.findIndex(({ text }) => text[0] !== '-');
  const script = args[at]?.text ?? '';
  const name = script.slice(script.lastIndexOf('/') + 1);
  const verb = args[at + 1];
  if (at === -1 || verb === undefined) return undefined;
  const rest = args.slice(at + 1).map(({ text }) => text);
  if (name === 'artisan' && program.startsWith('php')) return listed('migrate:fresh migrate:reset migrate:refresh db:wipe', verb.text) ? { at: verb } : undefined;
  if (name === 'manage.py') return listed('flush reset_db', verb.text) || (verb.text === 'migrate' && rest.includes('zero')) ? { at: verb } : undefined;
  if (name === 'console') return verb.text.startsWith('doctrine:') && verb.text.endsWith(':drop') && (rest.includes('--force') || rest.includes('-f')) ? { at: verb } : undefined;
  return name === 'rails' || name === 'rake' ? (verb.text.startsWith('db:drop') || verb.text.startsWith('db:reset') ? { at: verb } : undefined) : undefined;
};

export const SQL_RULES: readonly Rule[] = [
  rule(PACK, head('sql.statement', 'DROP, TRUNCATE, DELETE or UPDATE without WHERE through a database client', 'This statement loses data for everybody who uses the database. Add a WHERE clause, look with SELECT first, or ask the person.'), Object.keys(CLIENTS).join(' '), statements, 'inputs'),
  rule(PACK, head('sql.mongo', 'dropDatabase, drop, deleteMany({}) in the MongoDB shell', 'This deletes a database or a collection. Name the documents in a filter, or ask the person.'), 'mongosh mongo', mongo, 'inputs'),
  rule(PACK, head('sql.redis', 'redis-cli FLUSHALL, FLUSHDB, SHUTDOWN, DEL of piped keys', 'This empties the store for everybody who uses it. Delete the keys you mean by name, or ask the person.'), 'redis-cli valkey-cli keydb-cli', redis, 'inputs'),
  alwaysRule(PACK, head('sql.dropdb', 'dropdb, dropuser', 'This drops a database or a role. Ask the person.'), 'dropdb dropuser'),
  tableRule(PACK, head('sql.tool', 'prisma migrate reset, rails db:drop, alembic downgrade base, flyway clean and the like', RESET), { exact: true, valued: 'nfcdphuUe', longs: 'database-url= database= path= config= schema= settings= app= host= user= username= dbname=' }, TOOLS),
  rule(PACK, head('sql.tool.script', 'php artisan migrate:fresh, python manage.py flush', RESET), 'php python python2 python3 ruby bin', scripted),
];
