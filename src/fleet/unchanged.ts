// Contract: the answer to "is there anything new?" that the launcher gives itself, without starting Node: a few lines of sh beside
// install.json that ask the server as remoteRefs() does and compare what it says with what was verified last. Written after an
// update that found nothing new, removed before anything else is written; wherever one of their conditions does not hold they do
// nothing, and the launcher starts the program. Whoever can write them can write install.json and the versions too. Not on Windows.
import { quoted } from '../clientsetup/version-launcher.ts';
import { OWN_FILE_MODE, dropFile, putFile, toBytes } from '../clientsetup/statefiles.ts';
import type { Host } from '../host.ts';
import { ownDirs } from '../roots/own-dirs.ts';
import type { InstallRecord } from '../roots/install-record.ts';
import { joinPath } from '../roots/paths.ts';
import { GIT_MS_MAX, refsCall } from './git.ts';
import { SEEN, seenPath } from './last-verified.ts';
import { PROMOTIONS_REF, branchRef } from './promotion.ts';
import { UPDATE_LOCK } from './update-lock.ts';
import { neededRemote, upToDate } from './update-report.ts';
import type { Station } from './station.ts';

/** The program is started so often at least: attempts are logged, old versions removed, settings read. */
export const FULL_CHECK_MS = 24 * 3_600_000;
const DUE = 'due';
/** They lead to other directories or other documents. */
const LEADING = ['HOME', 'XDG_CONFIG_HOME', 'XDG_STATE_HOME', 'XDG_DATA_HOME', 'PRAETORCTL_CONFIG_DIR', 'PRAETORCTL_STATE_DIR', 'PRAETORCTL_DATA_DIR'] as const;
/** They select documents that may change without a trace, or another form of the answer. */
const NEVER = ['PRAETORCTL_FLEET_SETTINGS', 'PRAETORCTL_ORG_SETTINGS', 'PRAETORCTL_JSON', 'PRAETORCTL_COLOR'] as const;

export const unchangedPath = (host: Pick<Host, 'platform'>, data: string): string => joinPath(host.platform, data, 'unchanged.sh');

export function dropUnchanged(host: Host, data: string): void {
  dropFile(host, unchangedPath(host, data));
}

/**
 * What the settings were read from is as it was. A file's time equal to ours says nothing, so it must be older. The directory tells
 * of a file that was moved in with an old time.
 */
function settingsConditions(host: Host, config: string): readonly string[] {
  return [config, joinPath(host.platform, config, 'settings.yaml')].map((path) =>
    (host.lstat(path) === undefined ? `[ ! -e ${quoted(path)} ] && [ ! -L ${quoted(path)} ]` : `[ "$u" -nt ${quoted(path)} ]`));
}

/** A shell has no clock of its own: a server that may not answer is left to `timeout`, and where that is missing to the program. */
const boundedWords = (remote: string): readonly string[] => (remote.includes(':') ? ['timeout', String(GIT_MS_MAX / 1000)] : []);

function askLine(host: Host, remote: string, refs: readonly string[]): string {
  const { passed, set, args } = refsCall(host, remote, refs);
  const names = passed.map((name) => `\${${name}+"${name}=$${name}"}`);
  const words = [...Object.entries(set).map(([name, value]) => `${name}=${value}`), ...boundedWords(remote), 'git', ...args].map(quoted);
  return `o=$(cd "$d" && exec env -i ${[...names, ...words].join(' ')} </dev/null 2>/dev/null)`;
}

/** The launcher reads it with `d` (the data directory), `c` (the current version) and `u` (this file) set. */
export function unchangedText({ host, dirs }: Pick<Station, 'host' | 'dirs'>, record: InstallRecord): string {
  const { config } = ownDirs({ platform: host.platform, env: host.env, home: host.env['HOME'] });
  const remote = neededRemote(record);
  const { message } = upToDate(record);
  const found = [[record.lastCommit, branchRef(record.branch)], ...(record.lastNotes === null ? [] : [[record.lastNotes, PROMOTIONS_REF]])];
  const conditions = [
    `[ "$c" = ${quoted(record.current)} ]`,
    ...LEADING.map((name) => `[ "\${${name}-}" = ${quoted(host.env[name] ?? '')} ]`),
    `[ -z "${NEVER.map((name) => `\${${name}-}`).join('')}" ]`,
    '[ ! "$d/install.json" -nt "$u" ]',
    `[ ! -e ${quoted(joinPath(host.platform, dirs.state, UPDATE_LOCK))} ]`,
    ...settingsConditions(host, config),
    `{ ${record.node.map((path) => `[ -x ${quoted(path)} ]`).join(' || ')}; }`,
    `{ [ "$3" = --check ] || { [ ! -t 2 ] && [ -f "$d/${SEEN}" ] && [ ! -L "$d/${SEEN}" ]; }; }`,
    ...(boundedWords(remote).length === 0 ? [] : ['command -v timeout >/dev/null']),
    askLine(host, remote, [branchRef(record.branch), PROMOTIONS_REF]),
    `[ "$o" = ${quoted(found.map((pair) => pair.join('\t')).join('\n'))} ]`,
  ];
  return [
    '# Written by praetorctl: it answers "is there anything new?" where the answer is no. docs/workstation.md',
    `if ${conditions.join(' &&\n  ')}`, 'then',
    `  if [ "$3" = --check ]; then printf '%s\\n' ${quoted(message)}; exit 0; fi`,
    // The time of the mark says when it was verified; before the last update or a day after it, the program has its turn.
    `  if echo >"$d/${SEEN}" && [ "$d/${DUE}" -nt "$d/${SEEN}" ] && [ ! "$u" -nt "$d/${SEEN}" ]; then`,
    `    printf '%s\\n' ${quoted(`praetorctl: info: note: update: up-to-date: ${message}`)} >&2; exit 0`,
    '  fi', 'fi', '',
  ].join('\n');
}

/** `record` is as the update looked at it: with the remote and the branch that the settings name. Only under the update lock. */
export function writeUnchanged(station: Station, record: InstallRecord): void {
  const { host, data } = station;
  if (host.platform === 'win32' || record.node.length === 0 || NEVER.some((name) => (host.env[name] ?? '') !== '')) return;
  const empty = toBytes('');
  const due = joinPath(host.platform, data, DUE);
  putFile(host, seenPath(host, data), empty, OWN_FILE_MODE);
  putFile(host, due, empty, OWN_FILE_MODE);
  host.setModified(due, host.now() + FULL_CHECK_MS);
  putFile(host, unchangedPath(host, data), toBytes(unchangedText(station, record)), OWN_FILE_MODE);
}
