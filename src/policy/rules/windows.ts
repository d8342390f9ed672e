// Contract: rules about PowerShell and cmd. Programs come in lower case with PowerShell's aliases resolved; parameters are read
// without case and by prefix, as PowerShell reads them. PURE.
import { HOME_MARK } from '../shell-types.ts';
import type { Effective, Hit, Place, Rule, Word } from '../types.ts';
import { head, rule, type Check } from './kit.ts';
import { listed } from './options.ts';
import { kindOfText, type Kind } from './places.ts';

const PACK = 'windows';

const lower = (word: Word | undefined): string => (word?.text ?? '').toLowerCase();

/** `-Recurse` by any prefix of at least `least` letters. */
function parameter(args: readonly Word[], name: string, least = 1): Word | undefined {
  return args.find((word) => {
    const text = lower(word).split(':')[0] ?? '';
    return text[0] === '-' && text.length > least && `-${name}`.startsWith(text) && !lower(word).endsWith(':$false');
  });
}

const slash = (args: readonly Word[], letter: string): Word | undefined => args.find((word) => lower(word) === `/${letter}` || lower(word).startsWith(`/${letter}:`));

const HOMES = ['$env:userprofile', '%userprofile%', '$home', '${home}', '$env:homepath', '%homedrive%%homepath%', '${env:userprofile}', '$env:home'];
const SYSTEMS = ['$env:systemroot', '%systemroot%', '%windir%', '$env:windir', '$env:programfiles', '%programfiles%', '$env:programdata', '%programdata%', '$env:appdata', '%appdata%', '$env:localappdata', '%localappdata%'];
const DRIVES = ['$env:systemdrive', '%systemdrive%'];

/** What a Windows path is; variables of the environment stand for what they always are. */
function winKind(text: string, place: Place): Kind | undefined {
  let path = text.replaceAll('\\', '/');
  for (const tail of ['/*.*', '/*', '/.']) if (path.length > tail.length && path.endsWith(tail)) path = path.slice(0, -tail.length);
  if (path === '*' || path === '*.*') path = '.';
  const bare = (path.endsWith('/') && path.length > 1 ? path.slice(0, -1) : path).toLowerCase();
  if (HOMES.includes(bare) || bare === '~' || bare === HOME_MARK) return 'home';
  if (SYSTEMS.includes(bare)) return 'system';
  if (DRIVES.includes(bare) || (bare.length === 2 && bare[1] === ':')) return 'root';
  for (const home of HOMES) if (bare.startsWith(`${home}/`)) path = HOME_MARK + path.slice(home.length);
  return kindOfText(path, place);
}

/** Values of parameters that name paths, and words without a parameter. */
function psTargets(args: readonly Word[]): readonly Word[] {
  const out: Word[] = [];
  for (let at = 0; at < args.length; at++) {
    const text = lower(args[at]);
    if (text[0] === '-' && text.length > 1) {
      if (listed('-filter -include -exclude -stream -erroraction -ea -warningaction -confirm -depth -name', text)) at++;
      continue;
    }
    out.push(args[at] as Word);
  }
  return out;
}

function targetsOf(effective: Effective): { readonly targets: readonly Word[]; readonly recursive: boolean } | undefined {
  const { program, args, pipedFrom } = effective;
  if (program === 'remove-item') {
    if (parameter(args, 'whatif', 2) !== undefined) return undefined;
    const recursive = parameter(args, 'recurse') !== undefined;
    const listing = pipedFrom.filter(({ program: from }) => listed('get-childitem get-item gci ls dir', from));
    const narrow = listing.some(({ args: from }) => parameter(from, 'filter', 2) !== undefined || parameter(from, 'include', 2) !== undefined) || pipedFrom.some(({ program: from }) => from === 'where-object');
    const piped = narrow ? [] : listing.flatMap(({ args: from, command }) => (psTargets(from).length === 0 && command.words[0] !== undefined ? [{ ...command.words[0], text: '.' }] : psTargets(from)));
    return { targets: [...psTargets(args), ...piped], recursive: recursive || piped.length > 0 };
  }
  const recursive = slash(args, 's') !== undefined || args.some((word) => lower(word).startsWith('/s/') || lower(word).includes('/s'.concat('/q')));
  const targets = args.filter(({ text }) => text[0] !== '/' || text.length > 3 && !/^(?:\/[a-z](?::[^/]*)?)+$/iu.test(text));
  return { targets, recursive: recursive || program === 'deltree' };
}

const removes: Check = (effective, place) => {
  const { program, shell } = effective;
  // In a Unix shell `rmdir` removes empty directories only, and `rd` and `del` do not exist.
  if (shell === 'sh' && (program === 'rmdir' || program === 'del' || program === 'rd' || program === 'erase') && slash(effective.args, 's') === undefined) return undefined;
  const found = targetsOf(effective);
  if (found === undefined || !found.recursive) return undefined;
  for (const word of found.targets) {
    const kind = winKind(word.text, place);
    if (kind !== undefined) return { at: word };
    if (/^\$\w+[\\/]\*?$/u.test(word.text)) return { at: word, decision: 'ask' };
  }
  return undefined;
};

// ---- disks, backups, boot ----

const isHelpWord = (args: readonly Word[]): boolean => args.some((word) => lower(word) === '/?' || lower(word) === '-?' || lower(word) === '--help');

const disks: Check = ({ program, args, inputs, shell }) => {
  if (isHelpWord(args)) return undefined;
  if (program === 'format') return args.some((word) => /^[a-z]:$/iu.test(word.text)) && (shell !== 'sh' || args.length > 0) ? { at: args[0] } : undefined;
  if (program === 'cipher') {
    const at = slash(args, 'w');
    return at === undefined ? undefined : { at };
  }
  if (program === 'diskpart') return inputs.length > 0 && !inputs.some((text) => /\b(?:clean|format|delete|convert)\b/iu.test(text)) ? undefined : {};
  if (program === 'wmic') return args.some((word) => lower(word) === 'format') ? {} : undefined;
  return parameter(args, 'whatif', 2) === undefined ? {} : undefined;
};

const backups: Check = ({ program, args }) => {
  const words = args.map(lower);
  if (program === 'wmic') return words[0] === 'shadowcopy' && words.includes('delete') ? { at: args[0] } : undefined;
  if (program === 'disable-computerrestore') return {};
  return words[0] === 'delete' || words[0] === 'resize' ? { at: args[0] } : undefined;
};

const HIVES = ['hklm', 'hkcu', 'hkcr', 'hku', 'hkcc', 'hkey_', 'registry::'];

const registry: Check = ({ program, args }) => {
  if (program === 'reg') return lower(args[0]) === 'delete' || lower(args[0]) === 'unload' || lower(args[0]) === 'restore' ? { at: args[0] } : undefined;
  if (parameter(args, 'whatif', 2) !== undefined) return undefined;
  const at = args.find((word) => HIVES.some((hive) => lower(word).startsWith(hive)));
  return at === undefined ? undefined : { at };
};

const boot: Check = ({ program, args }) => {
  if (isHelpWord(args)) return undefined;
  if (program === 'bootrec' || program === 'bootsect') return args.length > 0 ? {} : undefined;
  const at = args.find((word) => listed('/set /delete /deletevalue /import /default /create', lower(word)));
  return at === undefined ? undefined : { at };
};

// ---- rights, tasks, services, protection ----

const rights: Check = ({ program, args }, place) => {
  const all = slash(args, 't') ?? slash(args, 'r');
  const target = args[0]?.text[0] === '/' ? args.find((_word, i) => lower(args[i - 1]) === '/f') : args[0];
  if (program === 'takeown' ? all === undefined : !args.some((word) => listed('/grant /reset /setowner /deny /remove', lower(word).split(':')[0] ?? ''))) return undefined;
  const kind = target === undefined ? undefined : winKind(target.text, place);
  return kind === undefined || kind === 'workspace' || kind === 'home-entry' ? { at: all ?? target, decision: 'ask' } : { at: all ?? target };
};

const protection: Check = ({ program, args }) => {
  if (program === 'set-mppreference') {
    const at = args.find((word) => lower(word).startsWith('-disable') || lower(word).startsWith('-exclusion'));
    return at === undefined ? undefined : { at };
  }
  if (program === 'set-netfirewallprofile') return args.some((word) => lower(word) === 'false' || lower(word) === '$false') ? {} : undefined;
  const words = args.map(lower);
  return words.includes('advfirewall') && words.includes('off') ? {} : undefined;
};

const services: Check = ({ program, args }): Hit | undefined => {
  const first = lower(args[0]);
  if (program === 'net') return first === 'stop' || (first === 'user' && (args.some((word) => lower(word) === '/delete' || lower(word) === '/add'))) || (first === 'localgroup' && args.some((word) => lower(word) === '/add')) ? { at: args[0] } : undefined;
  if (program === 'sc') return listed('delete stop config', first) ? { at: args[0] } : undefined;
  if (program === 'schtasks') {
    const at = slash(args, 'delete') ?? args.find((word) => lower(word) === '/delete' || lower(word) === '/create');
    return at === undefined ? undefined : { at };
  }
  return parameter(args, 'whatif', 2) === undefined ? {} : undefined;
};

// ---- code from elsewhere ----

const fetching = /\b(?:iwr|irm|invoke-webrequest|invoke-restmethod|curl|wget|start-bitstransfer)\b|downloadstring|downloadfile|downloaddata|net\.webclient|webrequest\]/iu;

const invoke: Check = (effective) => {
  const texts = effective.args.map(({ text }) => text).join(' ');
  const from = [...effective.codeFrom, ...effective.pipedFrom];
  if (fetching.test(texts) || from.some(({ program, args }) => fetching.test(program) || fetching.test(args.map(({ text }) => text).join(' ')))) return {};
  return undefined;
};

const dynamicInvoke: Check = (effective, place) => {
  if (invoke(effective, place) !== undefined) return undefined;
  const at = effective.args.find(({ dynamic, text }) => dynamic || text.startsWith('$') || text.startsWith('('));
  return at === undefined ? undefined : { at };
};

/** `-EncodedCommand` by any prefix: -e, -ec, -enc. */
const encoded: Check = ({ args }) => {
  const at = args.find((word) => {
    const text = lower(word).replace(/^\//u, '-').replace(/^--/u, '-');
    return text === '-e' || text === '-ec' || (text.length > 3 && '-encodedcommand'.startsWith(text));
  });
  return at === undefined ? undefined : { at };
};

const policy: Check = ({ args }) => {
  const at = args.find((word) => listed('bypass unrestricted', lower(word)));
  return at === undefined ? undefined : { at };
};

const REMOVE = 'This removes a drive, a home, the system or the whole workspace and cannot be undone. Name the directories you mean, or ask the person.';

export const WINDOWS_RULES: readonly Rule[] = [
  rule(PACK, head('win.remove', 'Remove-Item -Recurse, rd /s, del /s of drives, homes, system directories, the workspace', REMOVE), 'remove-item rd rmdir del erase deltree', removes),
  rule(PACK, head('win.disk', 'format, diskpart, cipher /w, Format-Volume, Clear-Disk', 'This overwrites a disk and cannot be undone. Ask the person.'), 'format diskpart cipher wmic format-volume clear-disk initialize-disk remove-partition set-disk reset-physicaldisk', disks),
  rule(PACK, head('win.backup', 'vssadmin delete shadows, wbadmin delete', 'This deletes the backups of the machine. Ask the person.'), 'vssadmin wbadmin wmic disable-computerrestore', backups),
  rule(PACK, head('win.registry', 'reg delete, Remove-Item of registry keys', 'This deletes settings of the system or the person. Ask the person.'), 'reg remove-item remove-itemproperty clear-item', registry),
  rule(PACK, head('win.boot', 'bcdedit /set, bootrec', 'The machine may not start after this. Ask the person.'), 'bcdedit bootrec bootsect', boot),
  rule(PACK, head('win.rights', 'icacls, takeown over whole trees', 'Other rights break logins and programs. Name the single files that need them.'), 'icacls cacls takeown', rights),
  rule(PACK, head('win.protection', 'switching Defender or the firewall off', 'This switches a protection of the machine off. Ask the person.'), 'set-mppreference set-netfirewallprofile netsh', protection),
  rule(PACK, head('win.service', 'scheduled tasks, services, accounts', 'This changes what runs on the machine or who may use it. A person must confirm it.', 'ask'), 'schtasks unregister-scheduledtask register-scheduledtask sc net stop-service remove-service remove-localuser disable-localuser', services),
  rule(PACK, head('win.power', 'Stop-Computer, Restart-Computer', 'This stops or restarts the machine with everything that runs on it. Ask the person.'), 'stop-computer restart-computer', ({ args }) => (parameter(args, 'whatif', 2) === undefined ? {} : undefined)),
  rule(PACK, head('win.execution-policy', 'Set-ExecutionPolicy Bypass or Unrestricted', 'This lets unsigned scripts run from now on. A person must confirm it.', 'ask'), 'set-executionpolicy', policy),
  rule('remote-exec', head('remote.powershell', 'Invoke-Expression of what was downloaded', 'This runs code from the network that nobody has read. Download it to a file, read it, and let the person decide.'), 'invoke-expression iex', invoke),
  rule('obfuscation', head('obf.powershell.text', 'Invoke-Expression of text that is not known', 'What this runs is not known from the command line. Write the command plainly, so that it can be judged.', 'ask', 'contested'), 'invoke-expression iex', dynamicInvoke),
  rule('obfuscation', head('obf.powershell.encoded', 'powershell -EncodedCommand', 'This runs text that is hidden by an encoding. Write the command plainly, so that it can be judged.'), 'powershell pwsh', encoded),
];
