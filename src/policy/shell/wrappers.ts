// Contract: programs that run another program given in their words, and how each reads its own options. PURE, data.
// A row: letters with a value, long names (`name=` with a value), operands of its own before the command.
import type { OptionSpec } from './options.ts';

export interface WrapperRow {
  readonly spec: OptionSpec;
  /** Operands in front of the command: the duration of timeout, the new root of chroot. */
  readonly skip: number;
  /** The command follows one of these words: `uv run`, `bundle exec`. */
  readonly verbs?: readonly string[];
  /** `NAME=value` words may come before the command. */
  readonly assigns?: true;
  /** Options whose value is a command text: `-c`, `--run`. */
  readonly texts?: readonly string[];
  /** All words behind the options are joined to one command text. */
  readonly joined?: true;
  /** Options that make it run nothing. */
  readonly idle?: readonly string[];
  /** Options whose value is the directory of the command. */
  readonly chdir?: readonly string[];
  /** The option after whose presence there is no command word but a shell that reads standard input. */
  readonly shells?: readonly string[];
}

function row(valued = '', longs = '', skip = 0, more: Partial<WrapperRow> = {}): WrapperRow {
  return { spec: { valued, longs, leading: true }, skip, ...more };
}

/** `program verb [options] command`. */
function verb(verbs: string, valued = '', longs = '', more: Partial<WrapperRow> = {}): WrapperRow {
  return row(valued, longs, 0, { verbs: verbs.split(' '), ...more });
}

const SUDO = 'user= group= host= prompt= close-from= command-timeout= chroot= chdir= role= type= other-user= login shell edit list validate remove-timestamp reset-timestamp non-interactive preserve-env? set-home stdin background askpass bell';

export const WRAPPERS: Readonly<Record<string, WrapperRow>> = {
  sudo: row('ughpCTRDrtU', SUDO, 0, { assigns: true, idle: ['-l', '-v', '-k', '-K', '-e', '--list', '--edit', '--validate', '--reset-timestamp', '--remove-timestamp', '--help', '--version', '-V'], chdir: ['-D', '--chdir'], shells: ['-s', '-i', '--shell', '--login'] }),
  doas: row('uCa', '', 0, { assigns: true, shells: ['-s'] }),
  pkexec: row('', 'user= disable-internal-agent'),
  gosu: row('', '', 1), 'su-exec': row('', '', 1), setpriv: row('', 'reuid= regid= groups= inh-caps= ambient-caps= bounding-set= securebits= pdeathsig= selinux-label= apparmor-profile= clear-groups keep-groups init-groups no-new-privs reset-env'),
  fakeroot: row('lsibu', 'lib= faked= fd-base='), proot: row('rbwq', 'rootfs= bind= cwd= qemu='), bwrap: row(), firejail: row(),
  env: row('uCS', 'unset= chdir= split-string= ignore-environment null debug block-signal? default-signal? ignore-signal? argv0=', 0, { assigns: true, chdir: ['-C', '--chdir'] }),
  'cross-env': row('', '', 0, { assigns: true }), 'cross-env-shell': row('', '', 0, { assigns: true, joined: true }), dotenv: row('efpvc', ''),
  nohup: row(), setsid: row(), builtin: row(), winpty: row(), unbuffer: row(), rlwrap: row(), catchsegv: row(), caffeinate: row('tw'), eatmydata: row(), chronic: row(), ts: row(), torsocks: row(), proxychains: row('f'), proxychains4: row('f'),
  command: row('', '', 0, { idle: ['-v', '-V'] }), exec: row('a'),
  time: row('fo', 'format= output= append portability verbose quiet'), timeout: row('ks', 'kill-after= signal= preserve-status foreground verbose', 1), gtimeout: row('ks', 'kill-after= signal= preserve-status foreground', 1),
  nice: row('n', 'adjustment='), renice: row('ngpu', '', 0, { idle: [] }), ionice: row('cnpPu', 'class= classdata= pid= ignore', 0, { idle: ['-p', '-P', '-u', '--pid'] }),
  chrt: row('TPDp', 'sched-runtime= sched-period= sched-deadline= all-tasks batch deadline fifo idle other rr pid verbose max', 1, { idle: ['-p', '-m', '--max', '--pid'] }),
  taskset: row('p', 'pid all-tasks cpu-list', 1, { idle: ['-p', '--pid'] }), numactl: row('iINmCpxbl', 'interleave= membind= cpunodebind= physcpubind= preferred= localalloc'),
  stdbuf: row('ioe', 'input= output= error='), prlimit: row('p', 'pid='), ltrace: row('aADeFlLnopsSuUwx', 'output= library='), strace: row('abeEIoOpPsSuUX', 'output= attach= env= user= trace='),
  valgrind: row('', 'tool= leak-check= log-file= suppressions='), perf: verb('stat record trace', 'eoprC', 'event= output='), gdb: row('x', 'args batch quiet ex= command='),
  unshare: row('SGRw', 'map-user= map-group= root= wd= propagation= setuid= setgid='), nsenter: row('tSGrw', 'target= setuid= setgid= root= wd='),
  'systemd-run': row('pHMEuGr', 'unit= property= slice= description= setenv= working-directory= uid= gid= nice= host= machine= on-active= on-calendar= service-type= user system scope pty wait collect quiet', 0, { chdir: ['--working-directory'] }),
  'systemd-inhibit': row('', 'what= who= why= mode='), 'dbus-run-session': row('', 'config-file= dbus-daemon='), 'dbus-launch': row(), 'xvfb-run': row('efnpswl', 'auth-file= error-file= server-num= listen-tcp server-args= xauth-protocol= wait= auto-servernum'),
  chpst: row('uUboeCnldfcrt'), softlimit: row('abcdflmoprst'), setuidgid: row('', '', 1), envdir: row('', '', 1), setlock: row('', '', 1),
  script: row('cIOBTEomt', 'command= log-in= log-out= log-io= log-timing= echo= output-limit= append return quiet flush', 1, { texts: ['-c', '--command'] }),
  flock: row('wEc', 'timeout= conflict-exit-code= command= shared exclusive unlock nonblock close no-fork verbose', 1, { texts: ['-c', '--command'] }),
  watch: row('n', 'interval= differences? beep color errexit chgexit exec precise no-title no-wrap', 0, { joined: true }), hyperfine: row('wmMrnsSpcPDLui', 'warmup= runs= prepare= setup= cleanup= shell= export-json= export-markdown= parameter-list= command-name=', 0, { joined: true, texts: ['-p', '--prepare', '-s', '--setup', '-c', '--cleanup'] }),
  entr: row('', ''), watchexec: row('ewisdp', 'exts= watch= ignore= filter= shell= signal= delay-run= debounce='), reflex: row('rgRG', ''), nodemon: row('ewidx', 'exec= ext= watch= ignore= delay= signal=', 99, { texts: ['-x', '--exec'] }),
  concurrently: row('nscpm', 'names= success= prefix= prefix-colors= max-processes= kill-others', 0, { joined: true }),
  npx: row('pc', 'package= call= yes no workspace= no-install quiet ignore-existing shell-auto-fallback= prefer-offline', 0, { texts: ['-c', '--call'] }), bunx: row('p', 'package= bun'), pnpx: row('pc', 'package= call=', 0, { texts: ['-c', '--call'] }), uvx: row('p', 'from= with= python= index-url= refresh isolated'),
  npm: verb('exec x', 'cpw', 'call= package= workspace= yes prefix=', { texts: ['-c', '--call'] }), pnpm: verb('dlx exec', 'cCF', 'package= shell-mode recursive dir= filter='), yarn: verb('dlx exec run', 'pq', 'package= cwd='), bun: verb('x', 'p', 'package= bun'),
  uv: verb('run tool', 'pm', 'with= python= project= directory= extra= group= package= env-file= from= isolated no-sync frozen locked no-project module='), pipx: verb('run', '', 'spec= python= pip-args= no-cache'), poetry: verb('run', 'CP', 'directory= project='), pipenv: verb('run'), hatch: verb('run', 'e', 'env='), pdm: verb('run', 'p', 'project='), rye: verb('run'),
  conda: verb('run', 'np', 'name= prefix= cwd= no-capture-output'), mamba: verb('run', 'np', 'name= prefix= cwd='), micromamba: verb('run', 'np', 'name= prefix= cwd='), bundle: verb('exec', '', 'gemfile= keep-file-descriptors'), rbenv: verb('exec'), pyenv: verb('exec'), nodenv: verb('exec'), asdf: verb('exec'), mise: verb('exec x', 'C', 'cd= jobs='), direnv: verb('exec', '', '', { skip: 1 }),
  volta: verb('run', '', 'node= npm= yarn= pnpm= bundled-npm no-yarn'), nvm: verb('exec run', '', '', { skip: 1 }), fnm: verb('exec', '', 'using='), n: verb('exec run', '', '', { skip: 1 }), corepack: row(), rustup: verb('run', '', 'install', { skip: 1 }), opam: verb('exec', '', 'switch= root='), stack: verb('exec', '', 'package= cwd='), cabal: verb('exec'),
  op: verb('run', '', 'env-file= no-masking account= environment='), doppler: verb('run', 'pct', 'project= config= token= command= scope=', { texts: ['--command'] }), infisical: verb('run', '', 'env= path= projectId= token= command=', { texts: ['--command'] }), 'aws-vault': verb('exec', 'd', 'duration= region= backend= mfa-token= no-session server', { skip: 1 }), chamber: verb('exec', '', '', { skip: 1 }), vault: verb('exec'),
  'nix-shell': row('pAIEI', 'run= command= packages= attr= argstr= arg= pure keep=', 99, { texts: ['--run', '--command'] }), 
  busybox: row(), toybox: row(), arch: row('e', 'arm64 x86_64'), linux32: row(), linux64: row(), setarch: row('', '', 1), start: row(), wsl: row('du', 'distribution= user= cd= exec shell-type='),
};

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
