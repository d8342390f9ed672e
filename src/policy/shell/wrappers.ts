// Contract: programs that run another program given in their words, and how each reads its own options. PURE, data.
// A row: letters with a value, long names (`name=` with a value), operands of its own before the command.
import type { OptionSpec } from './options.ts';

export interface WrapperRow {
  readonly spec: OptionSpec;
  /** Operands in front of the command: the duration of timeout, the new root of chroot. */
  readonly skip: number;
  /** The command follows one of these words: `uv run`, `bundle exec`. */
  readonly verbs: readonly string[];
  /** `NAME=value` words may come before the command. */
  readonly assigns: boolean;
  /** Options whose value is a command text: `-c`, `--run`. */
  readonly texts: readonly string[];
  /** All words behind the options are joined to one command text. */
  readonly joined: boolean;
  /** Options that make it run nothing. */
  readonly idle: readonly string[];
  /** Options whose value is the directory of the command. */
  readonly chdir: readonly string[];
  /** The option after whose presence there is no command word but a shell that reads standard input. */
  readonly shells: readonly string[];
}

/**
 * One program a line, so that nothing is built before it is asked for:
 * name | letters with a value | long names | operands in front | verbs | a: assignments in front | options with a text |
 * j: words joined to a text | options that run nothing | options with a directory | options that start a shell.
 * A row is what the program's manual says; trailing empty fields are left out.
 */
const TABLE = `
sudo|ughpCTRDrtU|user= group= host= prompt= close-from= command-timeout= chroot= chdir= role= type= other-user= login shell edit list validate remove-timestamp reset-timestamp non-interactive preserve-env? set-home stdin background askpass bell|0||a|||-l -v -k -K -e --list --edit --validate --reset-timestamp --remove-timestamp --help --version -V|-D --chdir|-s -i --shell --login
doas|uCa||0||a|||||-s
pkexec||user= disable-internal-agent|0
gosu|||1
su-exec|||1
setpriv||reuid= regid= groups= inh-caps= ambient-caps= bounding-set= securebits= pdeathsig= selinux-label= apparmor-profile= clear-groups keep-groups init-groups no-new-privs reset-env|0
fakeroot|lsibu|lib= faked= fd-base=|0
proot|rbwq|rootfs= bind= cwd= qemu=|0
bwrap|||0
firejail|||0
env|uCS|unset= chdir= split-string= ignore-environment null debug block-signal? default-signal? ignore-signal? argv0=|0||a||||-C --chdir
cross-env|||0||a
cross-env-shell|||0||a||j
dotenv|efpvc||0
nohup|||0
setsid|||0
builtin|||0
winpty|||0
unbuffer|||0
rlwrap|||0
catchsegv|||0
caffeinate|tw||0
eatmydata|||0
chronic|||0
ts|||0
torsocks|||0
proxychains|f||0
proxychains4|f||0
command|||0|||||-v -V
exec|a||0
time|fo|format= output= append portability verbose quiet|0
timeout|ks|kill-after= signal= preserve-status foreground verbose|1
gtimeout|ks|kill-after= signal= preserve-status foreground|1
nice|n|adjustment=|0
renice|ngpu||0
ionice|cnpPu|class= classdata= pid= ignore|0|||||-p -P -u --pid
chrt|TPDp|sched-runtime= sched-period= sched-deadline= all-tasks batch deadline fifo idle other rr pid verbose max|1|||||-p -m --max --pid
taskset|p|pid all-tasks cpu-list|1|||||-p --pid
numactl|iINmCpxbl|interleave= membind= cpunodebind= physcpubind= preferred= localalloc|0
stdbuf|ioe|input= output= error=|0
prlimit|p|pid=|0
ltrace|aADeFlLnopsSuUwx|output= library=|0
strace|abeEIoOpPsSuUX|output= attach= env= user= trace=|0
valgrind||tool= leak-check= log-file= suppressions=|0
perf|eoprC|event= output=|0|stat record trace
gdb|x|args batch quiet ex= command=|0
unshare|SGRw|map-user= map-group= root= wd= propagation= setuid= setgid=|0
nsenter|tSGrw|target= setuid= setgid= root= wd=|0
systemd-run|pHMEuGr|unit= property= slice= description= setenv= working-directory= uid= gid= nice= host= machine= on-active= on-calendar= service-type= user system scope pty wait collect quiet|0||||||--working-directory
systemd-inhibit||what= who= why= mode=|0
dbus-run-session||config-file= dbus-daemon=|0
dbus-launch|||0
xvfb-run|efnpswl|auth-file= error-file= server-num= listen-tcp server-args= xauth-protocol= wait= auto-servernum|0
chpst|uUboeCnldfcrt||0
softlimit|abcdflmoprst||0
setuidgid|||1
envdir|||1
setlock|||1
script|cIOBTEomt|command= log-in= log-out= log-io= log-timing= echo= output-limit= append return quiet flush|1|||-c --command
flock|wEc|timeout= conflict-exit-code= command= shared exclusive unlock nonblock close no-fork verbose|1|||-c --command
watch|n|interval= differences? beep color errexit chgexit exec precise no-title no-wrap|0||||j
hyperfine|wmMrnsSpcPDLui|warmup= runs= prepare= setup= cleanup= shell= export-json= export-markdown= parameter-list= command-name=|0|||-p --prepare -s --setup -c --cleanup|j
entr|||0
watchexec|ewisdp|exts= watch= ignore= filter= shell= signal= delay-run= debounce=|0
reflex|rgRG||0
nodemon|ewidx|exec= ext= watch= ignore= delay= signal=|99|||-x --exec
concurrently|nscpm|names= success= prefix= prefix-colors= max-processes= kill-others|0||||j
npx|pc|package= call= yes no workspace= no-install quiet ignore-existing shell-auto-fallback= prefer-offline|0|||-c --call
bunx|p|package= bun|0
pnpx|pc|package= call=|0|||-c --call
uvx|p|from= with= python= index-url= refresh isolated|0
npm|cpw|call= package= workspace= yes prefix=|0|exec x||-c --call
pnpm|cCF|package= shell-mode recursive dir= filter=|0|dlx exec
yarn|pq|package= cwd=|0|dlx exec run
bun|p|package= bun|0|x
uv|pm|with= python= project= directory= extra= group= package= env-file= from= isolated no-sync frozen locked no-project module=|0|run tool
pipx||spec= python= pip-args= no-cache|0|run
poetry|CP|directory= project=|0|run
pipenv|||0|run
hatch|e|env=|0|run
pdm|p|project=|0|run
rye|||0|run
conda|np|name= prefix= cwd= no-capture-output|0|run
mamba|np|name= prefix= cwd=|0|run
micromamba|np|name= prefix= cwd=|0|run
bundle||gemfile= keep-file-descriptors|0|exec
rbenv|||0|exec
pyenv|||0|exec
nodenv|||0|exec
asdf|||0|exec
mise|C|cd= jobs=|0|exec x
direnv|||1|exec
volta||node= npm= yarn= pnpm= bundled-npm no-yarn|0|run
nvm|||1|exec run
fnm||using=|0|exec
n|||1|exec run
corepack|||0
rustup||install|1|run
opam||switch= root=|0|exec
stack||package= cwd=|0|exec
cabal|||0|exec
op||env-file= no-masking account= environment=|0|run
doppler|pct|project= config= token= command= scope=|0|run||--command
infisical||env= path= projectId= token= command=|0|run||--command
aws-vault|d|duration= region= backend= mfa-token= no-session server|1|exec
chamber|||1|exec
vault|||0|exec
nix-shell|pAIEI|run= command= packages= attr= argstr= arg= pure keep=|99|||--run --command
busybox|||0
toybox|||0
arch|e|arm64 x86_64|0
linux32|||0
linux64|||0
setarch|||1
start|||0
wsl|du|distribution= user= cd= exec shell-type=|0
`;

const rows = new Map<string, WrapperRow | undefined>();

export function wrapperOf(program: string): WrapperRow | undefined {
  if (rows.has(program)) return rows.get(program);
  const start = program === '' ? -1 : TABLE.indexOf(`\n${program}|`);
  const bare = start === -1 && program !== '' && TABLE.includes(`\n${program}\n`);
  const line = start === -1 ? (bare ? program : undefined) : TABLE.slice(start + 1, TABLE.indexOf('\n', start + 1));
  const found = line === undefined ? undefined : rowOf(line.split('|'));
  rows.set(program, found);
  return found;
}

function rowOf([, valued = '', longs = '', skip = '0', verbs = '', assigns = '', texts = '', together = '', idle = '', chdir = '', shells = '']: readonly string[]): WrapperRow {
  const list = (text: string): readonly string[] => (text === '' ? [] : text.split(' '));
  return {
    spec: { valued, longs, leading: true }, skip: Number(skip), assigns: assigns !== '', joined: together !== '', verbs: list(verbs), texts: list(texts), idle: list(idle), chdir: list(chdir), shells: list(shells),
  };
}

export function wrapperNames(): readonly string[] {
  return TABLE.trim().split('\n').map((line) => line.split('|', 1)[0] ?? '');
}

/** Programs whose own call is judged too, not only what they run. */
export const KEPT: ReadonlySet<string> = new Set(['npm', 'pnpm', 'yarn', 'npx', 'bun', 'uv', 'pipx', 'conda', 'nix', 'vault', 'op', 'gdb', 'n', 'docker', 'podman', 'kubectl', 'find', 'git', 'sudo', 'su']);

/** Words behind which a command of a container or machine follows. */
export const DOCKER_RUN: OptionSpec = {
  valued: 'aceluhmpvw', leading: true,
  longs: 'add-host= annotation= attach= blkio-weight= cap-add= cap-drop= cgroup-parent= cidfile= cpus= cpu-shares= cpuset-cpus= device= dns= entrypoint= env= env-file= expose= gpus= group-add= health-cmd= hostname= ip= ipc= isolation= label= link= log-driver= log-opt= mac-address= memory= memory-swap= mount= name= network= net= pid= platform= publish= pull= restart= runtime= security-opt= shm-size= stop-signal= stop-timeout= storage-opt= sysctl= tmpfs= ulimit= user= userns= uts= volume= volumes-from= workdir= detach interactive tty rm init privileged read-only publish-all',
};
export const DOCKER_EXEC: OptionSpec = { valued: 'euwT', leading: true, longs: 'env= env-file= user= workdir= detach-keys= index= detach interactive tty privileged' };
export const DOCKER_GLOBAL: OptionSpec = { valued: 'cHlfp', leading: true, longs: 'config= context= host= log-level= tlscacert= tlscert= tlskey= file= project-name= project-directory= profile= env-file= ansi= connection= identity= url= debug tls tlsverify' };
export const KUBE_GLOBAL: OptionSpec = { valued: 'nscfl', longs: 'namespace= container= context= cluster= kubeconfig= server= token= user= as= as-group= request-timeout= pod-running-timeout= filename= stdin tty quiet' };
export const SSH: OptionSpec = { valued: 'bcDEeFIiJLlmOopQRSWw', leading: true, exact: true };
export const XARGS: OptionSpec = { valued: 'aEIdLnPs', attached: 'eil', leading: true, longs: 'arg-file= delimiter= eof? replace? max-lines? max-args= max-procs= max-chars= process-slot-var= null interactive no-run-if-empty verbose exit open-tty show-limits' };
export const PARALLEL: OptionSpec = { valued: 'ajSNnILPdC', leading: true, longs: 'arg-file= jobs= delay= colsep= delimiter= joblog= max-args= max-procs= replace= results= retries= sshlogin= timeout= tmpdir= workdir= halt= load= memfree= nice= progress bar eta dry-run keep-order pipe null quote tag will-cite xargs ungroup line-buffer no-run-if-empty' };
