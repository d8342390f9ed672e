// Contract: the command tree. Flags become typed options, options go to one use case, its outcome is written once.
// Completion scripts and the command reference are generated from this tree, so a flag exists in one place.
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { MANAGED_OS } from '../fleet/managed.ts';
import { SCHEDULE_KINDS } from '../fleet/schedule.ts';
import { EXIT, PraetorError, exitOf, type Diagnostic } from '../model/diagnostic.ts';
import { homeOf } from '../roots/own-dirs.ts';
import { clientsApply, clientsCapabilities, clientsList, clientsPlan, clientsRemove, clientsRollback, clientsVerifyAsked } from './clients.ts';
import { completionScript, SHELLS, type Shell } from './completion.ts';
import { contractApprove, contractDiff, contractGrant, contractImport, contractLint, contractList, contractReview } from './contract.ts';
import { contractBundle } from './contract-bundle.ts';
import { forkInit, forkPlan, forkPoll, forkPrepare, forkPromote } from './fork.ts';
import { clientsLaunch } from './launch.ts';
import { runDoctorCommand } from './doctor.ts';
import { addEvidence, addFleetReceipts } from './evidence-tree.ts';
import { policyExplain, policyList, policyTest } from './policy.ts';
import { policyLint } from './policy-lint.ts';
import { policyAllow, policyCompile } from './policy-operator.ts';
import { receiptsList, receiptsShow } from './receipts.ts';
import { fixturesRedact } from './fixtures.ts';
import { clientsProve } from './prove.ts';
import { clientsRender } from './render.ts';
import { clientsReport } from './report.ts';
import { emit, VERSION, type CliIo, type GlobalOptions, type Outcome } from './output.ts';
import { scheduleInstall, scheduleRemove, scheduleRender } from './schedule.ts';
import { settingsCheck, settingsExplain, settingsShow } from './settings.ts';
import { withSettings } from './settings-options.ts';
import { start } from './start.ts';
import { workstationInstall, workstationPin, workstationRollback, workstationStatus, workstationUnpin, workstationUpdate } from './workstation.ts';

type Handler = (context: CommandContext) => Promise<Outcome> | Outcome;

export interface CommandContext {
  readonly io: CliIo;
  readonly global: GlobalOptions;
  readonly options: Readonly<Record<string, unknown>>;
  readonly args: readonly string[];
}

interface Running { readonly io: CliIo; exit: number }

const listOf = (what: string) => (value: string, before: readonly string[] = []): string[] => {
  const words = value.split(',').map((word) => word.trim());
  if (words.some((word) => word === '')) throw new InvalidArgumentError(`name ${what}`);
  return [...before, ...words];
};
const list = listOf('a client');

const clientOption = (): Option => new Option('--client <id>', 'only this client; repeatable and comma-separated').argParser(list).env('PRAETORCTL_CLIENT');
const scopeOption = (): Option => new Option('--scope <scope>', 'where to register: for this user, or for the project in the current directory').choices(['user', 'project']).default('user').env('PRAETORCTL_SCOPE');
const adoptOption = (): Option => new Option('--adopt', 'take over MCP entries of the same name that someone else registered');
const yesOption = (): Option => new Option('-y, --yes', 'do not ask');
const dryRunOption = (): Option => new Option('-n, --dry-run', 'do everything except write');

function addGlobal(command: Command): Command {
  return command
    .addOption(new Option('--json', 'one JSON document on standard output; also PRAETORCTL_JSON=1'))
    .addOption(new Option('-q, --quiet', 'only errors'))
    .addOption(new Option('-v, --verbose', 'also what is unchanged'))
    .addOption(new Option('--color <when>', 'colour in text output').choices(['auto', 'always', 'never']).default('auto').env('PRAETORCTL_COLOR'));
}

/** Any value but an empty one, 0 and false. */
function wantsJson(env: CliIo['host']['env']): boolean {
  return !['', '0', 'false'].includes(env['PRAETORCTL_JSON'] ?? '');
}

function globalOf(io: CliIo, options: Readonly<Record<string, unknown>>): GlobalOptions {
  return {
    json: options['json'] === true || wantsJson(io.host.env), quiet: options['quiet'] === true, verbose: options['verbose'] === true,
    color: options['color'] === 'always' || options['color'] === 'never' ? options['color'] : 'auto',
  };
}

function failure(error: unknown): Diagnostic {
  if (error instanceof PraetorError) return error.diagnostic;
  const what = error instanceof Error ? error.message : String(error);
  return { code: 'internal', severity: 'error', message: `unexpected failure: ${what.slice(0, 300)}`, fix: 'run it again with --json and report this with the command you ran' };
}

async function execute(running: Running, kind: string, command: Command, args: readonly string[], handler: Handler): Promise<void> {
  const options = command.optsWithGlobals();
  const global = globalOf(running.io, options);
  const { io } = running;
  const home = homeOf({ platform: io.host.platform, env: io.host.env }) ?? '';
  let outcome: Outcome;
  try {
    outcome = await handler({ io, global, options, args });
  } catch (error) {
    const diagnostic = failure(error);
    outcome = { exit: exitOf(diagnostic.code) || EXIT.failed, kind, body: {}, text: '', diagnostics: [diagnostic], wrote: false };
  }
  running.exit = emit(io, global, home, outcome);
}

/** Commander passes positional arguments, then options, then the command itself. */
function action(running: Running, kind: string, handler: Handler): (...params: unknown[]) => Promise<void> {
  return async (...params) => {
    const command = params[params.length - 1] as Command;
    await execute(running, kind, command, command.processedArgs.flat().filter((a): a is string => typeof a === 'string'), handler);
  };
}

function addClients(program: Command, running: Running): void {
  const clients = program.command('clients').description('Register praetorctl in the clients of this workstation, and see what is true.');
  const sub = (spec: string, description: string): Command => addGlobal(clients.command(spec).description(description));
  withSettings(sub('plan', 'Show what apply would change. Reads only. Exit 3 if there is something to do.'))
    .addOption(clientOption()).addOption(scopeOption()).addOption(adoptOption())
    .addOption(new Option('--out <file>', 'store the plan for apply'))
    .action(action(running, 'plan', clientsPlan));
  withSettings(sub('apply [file]', 'Plan, ask, write, read back. With a file: exactly the stored plan.'))
    .addOption(clientOption()).addOption(scopeOption()).addOption(adoptOption()).addOption(yesOption()).addOption(dryRunOption())
    .addOption(new Option('--via <way>', 'file: into the files of the clients; plugin: our registrations as plugins, written to --out and nowhere else').choices(['file', 'plugin']).default('file'))
    .addOption(new Option('--out <directory>', 'with --via plugin: empty, or an earlier bundle'))
    .action(action(running, 'report', clientsApply));
  withSettings(sub('verify', 'What is known about each client: installed, discovered, observed, drifted, stale. Reads only; of many receipts it keeps a checkpoint beside them.'))
    .addOption(clientOption()).addOption(scopeOption())
    .addOption(new Option('--require <state>', 'the state every selected client must have').choices(['installed', 'discovered', 'observed']).default('observed').env('PRAETORCTL_REQUIRE'))
    .addOption(new Option('--probe', 'ask each client for its own list first: this starts it, and some start their MCP servers or session hooks (docs/clients.md says what each costs and does)'))
    .action(action(running, 'verify', clientsVerifyAsked));
  withSettings(sub('report', 'Write what verify sees, the last proofs, the verdicts of the last days and the known gaps as one page for a browser.'))
    .addOption(clientOption()).addOption(scopeOption())
    .addOption(new Option('--html <file>', 'where the page goes; only a report of an earlier run is replaced').makeOptionMandatory())
    .action(action(running, 'clients-report', clientsReport));
  withSettings(sub('prove', 'Start each client against a model on this machine: a harmless command must run, a canary must be refused before it runs. Exit 3 if one is not proven.'))
    .addOption(clientOption()).addOption(yesOption())
    .action(action(running, 'prove', clientsProve));
  sub('remove', 'Take everything of ours out again.')
    .addOption(clientOption()).addOption(scopeOption()).addOption(yesOption()).addOption(dryRunOption())
    .action(action(running, 'report', clientsRemove));
  sub('rollback', 'Undo the newest run, or the one named.')
    .addOption(new Option('--list', 'show the runs that can be undone')).addOption(new Option('--to <run>', 'undo this run')).addOption(yesOption()).addOption(dryRunOption())
    .action(action(running, 'report', clientsRollback));
  withSettings(sub('launch <client> [arguments...]', 'Start a terminal client for one session: what is known to get around its guard is refused, and one line says what is and is not enforced. Its arguments stand behind --.'))
    .addOption(new Option('--strict', 'start it only if it is known to have read our hooks or, without hooks, if all of its servers stand behind the guarding runtime'))
    .action(action(running, 'launch', clientsLaunch));
  withSettings(sub('render', "Write what an administrator puts into each client's managed channel, as files, with outlines for Ansible, Intune and Jamf. Nothing outside --out is written."))
    .addOption(new Option('--managed', 'the managed channels: what this command renders')).addOption(new Option('--os <os>', 'for which machines (default: this system)').choices(MANAGED_OS))
    .addOption(clientOption()).addOption(new Option('--launcher <file>', 'where the machine-wide praetorctl stands'))
    .addOption(new Option('--out <directory>', 'empty, or from an earlier run').makeOptionMandatory())
    .action(action(running, 'clients-render', clientsRender));
  sub('list', 'The clients praetorctl knows, and which are here.').action(action(running, 'list', clientsList));
  addCapabilities(clients, running);
}

function addCapabilities(parent: Command, running: Running): void {
  addGlobal(parent.command('capabilities').description('What each client can enforce: measured or documented, with known gaps.'))
    .addOption(clientOption()).action(action(running, 'capabilities', clientsCapabilities));
}

/** The command line may stand behind `--` as words, or in quotes as one argument. */
function judgedOptions(command: Command): Command {
  return command
    .addOption(new Option('--stdin', 'read the command line from standard input'))
    .addOption(new Option('--payload <file>', 'judge a document as a client sends it to a hook (with --as)'))
    .addOption(new Option('--as <client>', 'whose payload it is'))
    .addOption(new Option('--event <event>', 'the event of the payload (default: pre-tool)'))
    .addOption(new Option('--cwd <dir>', 'the directory in which the command runs (default: the workspace)'))
    .addOption(new Option('--workspace <dir>', 'the workspace of the session (default: the current directory)'));
}

/** How the remotes and the branch of a fork are called. */
function forkOptions(command: Command): Command {
  return command
    .addOption(new Option('--remote <name>', 'the remote that is the fork').default('origin'))
    .addOption(new Option('--upstream <name>', 'the remote that it comes from').default('upstream'))
    .addOption(new Option('--branch <name>', 'the branch, on both').default('main'));
}

const gatesOf = (value: string, before: readonly string[] = []): string[] => [...before, value];

/** What makes a candidate. */
function candidateOptions(command: Command): Command {
  return command
    .addOption(new Option('--gate <command>', 'a command line that must end with 0 in the candidate; repeatable, in this order').argParser(gatesOf))
    .addOption(new Option('--build <command>', 'what builds the package (default: npm ci && npm run build, where there is a package-lock.json)'));
}

/** What a promotion says. */
function promotionOptions(command: Command): Command {
  return command
    .addOption(new Option('--urgent', 'workstations take it without waiting for the time that their settings ask for'))
    .addOption(new Option('--min-from <seq>', 'only workstations that have at least this promotion may take it directly'))
    .addOption(new Option('--expires <when>', 'a duration such as 30d or a date: after it, workstations say that nothing newer came'))
    .addOption(new Option('--resets <sha>', 'the last promoted commit, where its history is given up on purpose'))
    .addOption(new Option('--new-signers <file>', 'allowed signers that every workstation trusts from then on, in the place of those it has'));
}

function addFork(program: Command, running: Running): void {
  const fork = program.command('fork').description('The operational fork: upstream and your settings in one repository, promoted to every workstation that follows it.');
  const sub = (spec: string, description: string): Command => forkOptions(addGlobal(fork.command(spec).description(description)));
  sub('init', 'Write the operator files into a clean checkout. Stages and commits nothing.')
    .addOption(new Option('--owner <owner>', 'whose fork it becomes, under the name of its source'))
    .addOption(new Option('--repository <owner/name>', 'the fork by its whole name (default: as its remote says)'))
    .addOption(new Option('--source <owner/name>', 'where it comes from (default: as its upstream remote says)'))
    .action(action(running, 'fork-init', forkInit));
  sub('plan', 'Prove that the fork is upstream and owner files, and say what upstream has that it lacks. Reads only. Exit 3 if a sync is possible.')
    .addOption(new Option('--owner-commit <sha>', 'the commit of the fork (default: HEAD)'))
    .addOption(new Option('--source-commit <sha>', 'the commit of upstream (default: its branch as last fetched)'))
    .action(action(running, 'fork-plan', forkPlan));
  candidateOptions(sub('prepare', 'Merge upstream in a private clone, prove the tree, build, run the gates, pack. Pushes nothing.'))
    .addOption(new Option('--destination <dir>', 'a new directory outside of the checkout').makeOptionMandatory())
    .addOption(new Option('--owner-commit <sha>', 'the commit of the fork (default: HEAD)'))
    .addOption(new Option('--source-commit <sha>', 'the commit of upstream (default: its branch as last fetched)'))
    .action(action(running, 'fork-prepare', forkPrepare));
  promotionOptions(sub('promote [candidate]', 'Check a candidate again, sign what it is, and push branch, artefact and note together. Exit 3 if there is nothing to promote, 4 if somebody else was quicker.'))
    .addOption(new Option('--sign <key>', 'an SSH key file, or the public key of one that an agent or a security key holds').makeOptionMandatory().env('PRAETORCTL_FORK_KEY'))
    .addOption(new Option('--withdraw <id>', 'take a version back: the newest older one is promoted again; repeatable and comma-separated').argParser(listOf('a version')))
    .action(action(running, 'fork-promote', forkPromote));
  promotionOptions(candidateOptions(sub('poll', 'Fetch, plan and prepare, for a schedule: one line, no question. Exit 3 if a candidate waits for review.')))
    .addOption(new Option('--auto-promote <when>', 'promote by itself: verified means once every gate passed (default: as update.auto_promote of fleet.yaml says)').choices(['verified']))
    .addOption(new Option('--sign <key>', 'as for promote').env('PRAETORCTL_FORK_KEY'))
    .addOption(new Option('--review', 'push the candidate as the branch praetor/candidate/<commit>'))
    .addOption(new Option('--destination <dir>', 'keep the candidate in this new directory'))
    .addOption(new Option('--again', 'prepare again what an earlier run has looked at'))
    .action(action(running, 'fork-poll', forkPoll));
}

function addPolicy(program: Command, running: Running): void {
  const policy = program.command('policy').description('What the guard says about a command, and why.');
  const sub = (spec: string, description: string): Command => addGlobal(policy.command(spec).description(description));
  judgedOptions(sub('test [command...]', 'Judge a command line as the hook would. Exit 0: allowed or no opinion; 3: denied or asked.'))
    .addOption(new Option('--cases <file>', 'judge every line of a file: {"id","command","expect":"deny|ask|allow|stop","class"}; exit 3 if one is judged otherwise'))
    .addOption(new Option('--format <format>', 'how --cases answers').choices(['text', 'sarif']))
    .addOption(new Option('--sarif <file>', 'also write the mismatches of --cases as SARIF 2.1.0'))
    .action(action(running, 'policy-test', policyTest));
  judgedOptions(sub('explain [command...]', 'Show how a command line is understood, every rule considered, what matched and why it won.'))
    .action(action(running, 'policy-explain', policyExplain));
  sub('list', 'Every built-in rule with the level in force.')
    .addOption(new Option('--pack <pack>', 'only this pack; repeatable and comma-separated').argParser(listOf('a pack')))
    .action(action(running, 'policy-list', policyList));
  sub('lint [file]', "Check the command policy of the settings document and of the workspace's. Exit 3 on findings.")
    .addOption(new Option('--workspace <dir>', 'the workspace whose document is checked too (default: the current directory)'))
    .action(action(running, 'policy-lint', policyLint));
  withSettings(sub('compile', 'Put the settings in force into the form that the hook reads by offset.'))
    .action(action(running, 'policy-compile', policyCompile));
  sub('allow <code>', 'Allow exactly the refused call that named this code, once. Asks in a terminal; refuses where an agent is at work.')
    .addOption(new Option('--for <duration>', 'as often as it comes, for so long: 30s, 10m, at most 8h'))
    .action(action(running, 'policy-allow', policyAllow));
}

function addSettings(program: Command, running: Running): void {
  const settings = program.command('settings').description('What is in force, and which document says it.');
  const sub = (spec: string, description: string): Command => withSettings(addGlobal(settings.command(spec).description(description)));
  sub('check', 'Are the selected documents valid, by themselves and together? Names the documents, the digest, and whether the hook reads exactly this.').addOption(new Option('--settings-of <directory>', "a version's directory whose operator documents count instead of the installed ones")).action(action(running, 'settings-check', settingsCheck));
  sub('show', 'The values in force, each with the documents that say it. --verbose: the defaults too.').action(action(running, 'settings-show', settingsShow));
  sub('explain <key>', 'What a key means, what becomes of it where several documents hold it, and which do. A section explains all keys below it.').action(action(running, 'settings-explain', settingsExplain));
}

function addContract(program: Command, running: Running): void {
  const contract = program.command('contract').description('Catalogues of MCP servers: what each tool does, and what has to be shown before it runs.');
  const sub = (spec: string, description: string): Command => addGlobal(contract.command(spec).description(description));
  sub('list', 'The catalogues of this workstation.').action(action(running, 'contract-list', contractList));
  sub('import <server>', 'Start a server that is configured, read its tools, and write or renew its catalogue. Asks before it starts anything.')
    .addOption(new Option('--openapi <file>', 'read an OpenAPI 3.x document (JSON or YAML) instead: calls become HTTP requests of the guarding runtime'))
    .addOption(new Option('--base-url <url>', 'where its calls go, instead of its first server'))
    .addOption(clientOption()).addOption(yesOption()).action(action(running, 'contract-import', contractImport));
  sub('review <service>', 'Show what waits for approval, with every character of its texts.')
    .addOption(new Option('--all', 'approved operations too')).action(action(running, 'contract-review', contractReview));
  sub('approve <service> [operations...]', 'Approve operations by id or tool name, exact or with *: what was shown is what is approved.')
    .addOption(new Option('--reads', 'all that only read')).addOption(new Option('--all', 'all that wait')).addOption(new Option('--note <text>', 'kept with the approval')).addOption(yesOption())
    .action(action(running, 'contract-approve', contractApprove));
  sub('diff <service>', 'What changed since the approval. Exit 3 if an operation is stopped by it.')
    .addOption(new Option('--live', 'ask the server itself: starts it')).addOption(yesOption()).action(action(running, 'contract-diff', contractDiff));
  sub('lint', 'Check every catalogue and put them into force. A loosening needs --allow-loosening.')
    .addOption(new Option('--allow-loosening', 'what is confirmed or approved less than before is meant so')).action(action(running, 'contract-lint', contractLint));
  sub('grant <operation>', 'Allow one call of an operation that a person approves. Asks in a terminal.')
    .addOption(new Option('--for <duration>', 'how long it may wait for its call: 30s, 15m (default), at most 8h')).action(action(running, 'contract-grant', contractGrant));
  sub('bundle [service]', "Write a service's guarded server, its hook and its guide as files that clients install: a Claude Code plugin, sets for Codex and Antigravity.")
    .addOption(new Option('--self', "praetorctl's own registrations instead, as plugins")).addOption(new Option('--out <directory>', 'empty, or an earlier bundle').makeOptionMandatory())
    .action(action(running, 'contract-bundle', contractBundle));
}

function addWorkstation(program: Command, running: Running): void {
  const workstation = program.command('workstation').description('The installed version of praetorctl: from where it comes, which one answers, which one stays.');
  const sub = (spec: string, description: string): Command => addGlobal(workstation.command(spec).description(description));
  const acceptHistory = (): Option => new Option('--accept-history', 'take a fork whose history was rewritten, once');
  sub('install', 'Install a version, try it, and write the launcher that clients call. Again: repair, or change what is followed.')
    .addOption(new Option('--from <source>', 'a fork with promotions (address or path), an artefact (.tgz), or a built checkout').makeOptionMandatory())
    .addOption(new Option('--anchor <file>', 'whose promotions count: lines as in an allowed_signers file; needed once to follow a fork'))
    .addOption(new Option('--remote <address>', 'the fork that updates come from, where --from is not it')).addOption(new Option('--branch <name>', 'its branch (default: main)'))
    .addOption(new Option('--org <name>', 'whose settings of the fork apply: orgs/<name>.yaml')).addOption(new Option('--name <name>', 'which settings of the fork are for this workstation: workstations/<name>.yaml'))
    .addOption(new Option('--bin-dir <directory>', 'where the launcher goes (default: ~/.local/bin)'))
    .addOption(new Option('--key <file>', 'the key that signs receipts of this workstation, or the public key of one that an agent holds (default: one is made)'))
    .addOption(new Option('--on-missing <what>', 'what the launcher makes of a tool call where there is no Node.js (default: hooks.on_missing_runtime of the settings)').choices(['allow', 'deny']))
    .addOption(acceptHistory()).action(action(running, 'workstation-install', workstationInstall));
  sub('update', 'Take the newest promotion: verify, try, switch, prove. Exit 3: held or, with --check, there is one.')
    .addOption(new Option('--check', 'only say what there is')).addOption(new Option('--now', 'without waiting until the promotion is old enough'))
    .addOption(new Option('--scheduled', 'for a scheduler: one line on standard error')).addOption(acceptHistory()).action(action(running, 'workstation-update', workstationUpdate));
  sub('rollback', 'Go back to the version before, and pin it. Needs no network; twice is the same as once.')
    .addOption(new Option('--to <id>', 'to this version')).action(action(running, 'workstation-version', workstationRollback));
  sub('pin [id]', 'Hold the current version: updates are verified and not taken.')
    .addOption(new Option('--current', 'the same as without an id')).action(action(running, 'workstation-version', workstationPin));
  sub('unpin', 'Let updates go on.').action(action(running, 'workstation-version', workstationUnpin));
  sub('status', 'In which state this workstation is, and why. Exit 3 if it is not current. Reads only.').action(action(running, 'workstation-status', workstationStatus));
}

function addReceipts(program: Command, running: Running): void {
  const receipts = program.command('receipts').description('Which hooks ran, and what they answered.');
  const sub = (spec: string, description: string): Command => addGlobal(receipts.command(spec).description(description));
  sub('list', 'The newest receipts, the newest last.')
    .addOption(new Option('--client <id>', "only this client's registrations; repeatable and comma-separated").argParser(list))
    .addOption(new Option('--verdict <verdict>', 'only this verdict; repeatable and comma-separated (neutral, allow, ask, deny, error, skipped, recorded)').argParser(listOf('a verdict')))
    .addOption(new Option('--rule <rule>', 'only this rule or rules below it (git.push); repeatable and comma-separated').argParser(listOf('a rule')))
    .addOption(new Option('--event <event>', 'only this event; repeatable and comma-separated').argParser(listOf('an event')))
    .addOption(new Option('--workspace <dir>', 'only sessions in this directory or below'))
    .addOption(new Option('--since <time>', 'not older: an age (2h, 7d) or a time (2026-03-01, 2026-03-01T08:30Z)'))
    .addOption(new Option('--until <time>', 'not newer: an age or a time'))
    .addOption(new Option('--limit <n>', 'at most so many (default: 50)'))
    .addOption(new Option('--jsonl', 'one JSON object per line and receipt'))
    .action(action(running, 'receipts', receiptsList));
  sub('show <receipt>', 'One receipt with all its fields: by id, or by number from the newest (1).')
    .action(action(running, 'receipt', receiptsShow));
  addFleetReceipts(sub, (kind, handler) => action(running, kind, handler));
}

function addSchedule(program: Command, running: Running): void {
  const schedule = program.command('schedule').description("Run the update of this workstation by the system's own scheduler.");
  const sub = (spec: string, description: string): Command => addGlobal(schedule.command(spec).description(description))
    .addOption(new Option('--kind <kind>', "whose definition (default: this system's)").choices(SCHEDULE_KINDS));
  const defined = (command: Command): Command => withSettings(command)
    .addOption(new Option('--interval <time>', 'how often, from 5m to 24h; shortened to what divides the day evenly (default: update.interval of the settings, 15m)'))
    .addOption(new Option('--command <words>', 'what is run (default: workstation update --scheduled)'))
    .addOption(new Option('--with <jobs>', 'further jobs beside it: evidence (evidence export), receipts (receipts push); comma-separated').argParser(listOf('a job')))
    .addOption(new Option('--launcher <file>', 'the praetorctl that is started, as an absolute path'))
    .addOption(new Option('--host-id <id>', 'where the minutes come from (default: the id of the installed workstation, else its home directory)'));
  defined(sub('render', 'Print the definitions. Writes and starts nothing.'))
    .addOption(new Option('--home <dir>', 'the home directory to render for (default: yours)')).addOption(new Option('--user <name>', 'the user whom the Task Scheduler runs it for (default: you)'))
    .action(action(running, 'schedule-render', scheduleRender));
  defined(sub('install', 'Write the definitions, then tell the scheduler. With --dry-run: exit 3 if there is something to do.'))
    .addOption(yesOption()).addOption(dryRunOption()).action(action(running, 'schedule', scheduleInstall));
  sub('remove', 'Tell the scheduler to let go, then take the definitions away.')
    .addOption(yesOption()).addOption(dryRunOption()).action(action(running, 'schedule', scheduleRemove));
}

/** The whole tree. `running.exit` holds the exit code after parseAsync. */
export function buildProgram(running: Running): Command {
  const program = new Command('praetorctl');
  program.description('One guard for every AI coding agent on this workstation.').version(VERSION, '-V, --version', 'print the version')
    .exitOverride().configureOutput({ writeOut: running.io.out, writeErr: running.io.err, outputError: () => undefined })
    .showHelpAfterError(false).helpCommand(false);
  addClients(program, running);
  addPolicy(program, running);
  addSettings(program, running);
  addFork(program, running);
  addContract(program, running);
  addReceipts(program, running);
  const evidence = program.command('evidence').description('Events of this workstation for those who watch over it. Off until the settings or a flag ask for it; never from a hook.');
  addEvidence((spec, description) => addGlobal(evidence.command(spec).description(description)), (kind, handler) => action(running, kind, handler));
  addWorkstation(program, running);
  addSchedule(program, running);
  withSettings(addGlobal(program.command('doctor').description('Check this workstation: does the registered command run, and does it judge?')))
    .addOption(clientOption()).addOption(scopeOption())
    .action(action(running, 'doctor', runDoctorCommand));
  addCapabilities(program, running);
  withSettings(addGlobal(program.command('start').description('The main job: detect clients, show the plan, ask, apply. Without any client: a demonstration in a temporary home.')))
    .addOption(clientOption()).addOption(yesOption()).addOption(new Option('--demo', 'run the demonstration even if clients are here'))
    .action(action(running, 'start', start));
  addGlobal(program.command('fixtures').description('Captures of what clients send, for tests.').command('redact <directory>')
    .description('Make captures that can be committed from recordings (PRAETORCTL_HOOK_RECORD_DIR): values are replaced, structure stays.'))
    .addOption(new Option('--out <directory>', 'where the captures go; nothing there is written over').makeOptionMandatory())
    .action(action(running, 'fixtures', fixturesRedact));
  addGlobal(program.command('completion <shell>').description('Print a completion script for bash, zsh, fish or pwsh.'))
    .action(action(running, 'completion', ({ args }) => completionOutcome(program, args[0] ?? '')));
  program.command('mcp <server>').description('The guarding runtime that clients start in the place of an MCP server with a catalogue.').action(() => undefined);
  program.command('hook <client> <event>').description('The entrypoint that registered hooks call. Reads one JSON document from standard input.').action(() => undefined);
  return program;
}

function completionOutcome(program: Command, shell: string): Outcome {
  if (!(SHELLS as readonly string[]).includes(shell)) {
    throw new PraetorError({ code: 'usage', message: `no completion for "${shell.slice(0, 20)}"`, fix: `praetorctl completion ${SHELLS.join('|')}` });
  }
  const script = completionScript(program, shell as Shell);
  return { exit: EXIT.ok, kind: 'completion', body: { shell, script }, text: script, diagnostics: [], wrote: false };
}

function usageDiagnostic(error: CommanderError, argv: readonly string[]): Diagnostic {
  const unmarked = error.code === 'commander.unknownOption' && argv[0] === 'policy' && !argv.includes('--');
  if (unmarked) return { code: 'usage', severity: 'error', message: error.message.replace(/^error: /, '').replace(/\s+/g, ' '), fix: 'put -- in front of the command that is judged: praetorctl policy test -- git push --force' };
  return { code: 'usage', severity: 'error', message: error.message.replace(/^error: /, '').replace(/\s+/g, ' '), fix: 'praetorctl --help' };
}

/** Runs one command line (without node and script) and returns the exit code. */
export async function runCli(argv: readonly string[], io: CliIo): Promise<number> {
  const running: Running = { io, exit: EXIT.ok };
  const program = buildProgram(running);
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return running.exit;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return EXIT.ok;
    // `praetorctl` and `praetorctl clients` alone print their help: that is an answer to a question, but no command ran.
    if (error.code === 'commander.help') return EXIT.usage;
    const global: GlobalOptions = { json: argv.includes('--json') || wantsJson(io.host.env), quiet: false, verbose: false, color: 'auto' };
    const home = homeOf({ platform: io.host.platform, env: io.host.env }) ?? '';
    return emit(io, global, home, { exit: EXIT.usage, kind: 'error', body: {}, text: '', diagnostics: [usageDiagnostic(error, argv)], wrote: false });
  }
}
