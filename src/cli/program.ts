// Contract: the command tree. Flags become typed options, options go to one use case, its outcome is written once.
// Completion scripts and the command reference are generated from this tree, so a flag exists in one place.
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { EXIT, PraetorError, exitOf, type Diagnostic } from '../model/diagnostic.ts';
import { homeOf } from '../roots/own-dirs.ts';
import { clientsApply, clientsCapabilities, clientsList, clientsPlan, clientsRemove, clientsRollback, clientsVerify } from './clients.ts';
import { completionScript, SHELLS, type Shell } from './completion.ts';
import { runDoctorCommand } from './doctor.ts';
import { emit, VERSION, type CliIo, type GlobalOptions, type Outcome } from './output.ts';
import { start } from './start.ts';

type Handler = (context: CommandContext) => Promise<Outcome> | Outcome;

export interface CommandContext {
  readonly io: CliIo;
  readonly global: GlobalOptions;
  readonly options: Readonly<Record<string, unknown>>;
  readonly args: readonly string[];
}

interface Running { readonly io: CliIo; exit: number }

const list = (value: string, before: readonly string[] = []): string[] => {
  const words = value.split(',').map((word) => word.trim());
  if (words.some((word) => word === '')) throw new InvalidArgumentError('name a client');
  return [...before, ...words];
};

const clientOption = (): Option => new Option('--client <id>', 'only this client; repeatable and comma-separated').argParser(list).env('PRAETORCTL_CLIENT');
const scopeOption = (): Option => new Option('--scope <scope>', 'where to register: for this user, or for the project in the current directory').choices(['user', 'project']).default('user').env('PRAETORCTL_SCOPE');
const settingsOption = (): Option => new Option('--settings <file>', 'operator settings document (default: settings.yaml in the praetorctl configuration directory)').env('PRAETORCTL_SETTINGS');
const adoptOption = (): Option => new Option('--adopt', 'take over MCP entries of the same name that someone else registered');
const yesOption = (): Option => new Option('-y, --yes', 'do not ask');
const dryRunOption = (): Option => new Option('-n, --dry-run', 'do everything except write');

function addGlobal(command: Command): Command {
  return command
    .addOption(new Option('--json', 'one JSON document on standard output').env('PRAETORCTL_JSON'))
    .addOption(new Option('-q, --quiet', 'only errors'))
    .addOption(new Option('-v, --verbose', 'also what is unchanged'))
    .addOption(new Option('--color <when>', 'colour in text output').choices(['auto', 'always', 'never']).default('auto').env('PRAETORCTL_COLOR'));
}

function globalOf(options: Readonly<Record<string, unknown>>): GlobalOptions {
  return {
    json: options['json'] === true || options['json'] === '1', quiet: options['quiet'] === true, verbose: options['verbose'] === true,
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
  const global = globalOf(options);
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
    await execute(running, kind, command, command.processedArgs.filter((a): a is string => typeof a === 'string'), handler);
  };
}

function addClients(program: Command, running: Running): void {
  const clients = program.command('clients').description('Register praetorctl in the clients of this workstation, and see what is true.');
  const sub = (spec: string, description: string): Command => addGlobal(clients.command(spec).description(description));
  sub('plan', 'Show what apply would change. Reads only. Exit 3 if there is something to do.')
    .addOption(clientOption()).addOption(scopeOption()).addOption(settingsOption()).addOption(adoptOption())
    .addOption(new Option('--out <file>', 'store the plan for apply'))
    .action(action(running, 'plan', clientsPlan));
  sub('apply [file]', 'Plan, ask, write, read back. With a file: exactly the stored plan.')
    .addOption(clientOption()).addOption(scopeOption()).addOption(settingsOption()).addOption(adoptOption()).addOption(yesOption()).addOption(dryRunOption())
    .action(action(running, 'report', clientsApply));
  sub('verify', 'What is known about each client: installed, discovered, observed, drifted, stale. Reads only.')
    .addOption(clientOption()).addOption(scopeOption()).addOption(settingsOption())
    .addOption(new Option('--require <state>', 'the state every selected client must have').choices(['installed', 'discovered', 'observed']).default('observed').env('PRAETORCTL_REQUIRE'))
    .action(action(running, 'verify', clientsVerify));
  sub('remove', 'Take everything of ours out again.')
    .addOption(clientOption()).addOption(scopeOption()).addOption(yesOption()).addOption(dryRunOption())
    .action(action(running, 'report', clientsRemove));
  sub('rollback', 'Undo the newest run, or the one named.')
    .addOption(new Option('--list', 'show the runs that can be undone')).addOption(new Option('--to <run>', 'undo this run')).addOption(yesOption()).addOption(dryRunOption())
    .action(action(running, 'report', clientsRollback));
  sub('list', 'The clients praetorctl knows, and which are here.').action(action(running, 'list', clientsList));
  sub('capabilities', 'What each client can enforce: measured or documented, with known gaps.')
    .addOption(clientOption()).action(action(running, 'capabilities', clientsCapabilities));
}

/** The whole tree. `running.exit` holds the exit code after parseAsync. */
export function buildProgram(running: Running): Command {
  const program = new Command('praetorctl');
  program.description('One guard for every AI coding agent on this workstation.').version(VERSION, '-V, --version', 'print the version')
    .exitOverride().configureOutput({ writeOut: running.io.out, writeErr: running.io.err, outputError: () => undefined })
    .showHelpAfterError(false).helpCommand(false);
  addClients(program, running);
  addGlobal(program.command('doctor').description('Check this workstation: does the registered command run, and does it judge?'))
    .addOption(clientOption()).addOption(scopeOption()).addOption(settingsOption())
    .action(action(running, 'doctor', runDoctorCommand));
  addGlobal(program.command('start').description('The main job: detect clients, show the plan, ask, apply. Without any client: a demonstration in a temporary home.'))
    .addOption(clientOption()).addOption(settingsOption()).addOption(yesOption()).addOption(new Option('--demo', 'run the demonstration even if clients are here'))
    .action(action(running, 'start', start));
  addGlobal(program.command('completion <shell>').description('Print a completion script for bash, zsh, fish or pwsh.'))
    .action(action(running, 'completion', ({ args }) => completionOutcome(program, args[0] ?? '')));
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

function usageDiagnostic(error: CommanderError): Diagnostic {
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
    const global: GlobalOptions = { json: argv.includes('--json'), quiet: false, verbose: false, color: 'auto' };
    const home = homeOf({ platform: io.host.platform, env: io.host.env }) ?? '';
    return emit(io, global, home, { exit: EXIT.usage, kind: 'error', body: {}, text: '', diagnostics: [usageDiagnostic(error)], wrote: false });
  }
}
