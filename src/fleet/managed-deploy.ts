// Contract: the texts by which administration tools put the managed files onto machines: Ansible tasks, Intune scripts, configuration
// profiles, and a guide. A file that others may keep things in is put only where none stands. Outlines to review: neither Intune nor
// Jamf ran here. PURE.
import type { JsonObject, JsonValue } from '../model/json.ts';
import type { ManagedDomain } from '../model/managed.ts';
import { sha256Hex } from '../model/sha256.ts';
import type { ManagedLauncher, ManagedOs, ManagedOutput, ManagedRow } from './managed.ts';
import { plistText, type PlistValue } from './plist.ts';

const dirOf = (path: string): string => path.slice(0, Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')));

/** The bytes of a text in base64; the texts that are made here are long, so they are taken in pieces. */
function base64(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

// Ansible. JSON strings are YAML strings, so nothing needs a quoting of its own.

const y = (text: string): string => JSON.stringify(text);

function ansibleFile(os: ManagedOs, row: ManagedRow): string[] {
  const [owner = 'root', group = 'root'] = row.owner.split(':');
  const name = row.source.split('/').at(-1) ?? '';
  const there = `praetorctl_${`${row.client}_${name}`.replace(/[^A-Za-z0-9]/g, '_')}`;
  const what = `${row.client}: ${name}`;
  const refuse = row.ifPresent === 'replace' ? [] : [
    `- name: ${y(`${what} belongs to others too, so it is put only where none stands`)}`,
    '  ansible.builtin.assert:',
    '    that:',
    `      - ${y(`not ${there}.stat.exists or ${there}.stat.checksum == '${row.sha256}'`)}`,
    `    fail_msg: ${y(`${row.dest} is there already: add the entries that manifest.json names under merge`)}`,
  ];
  return [
    `- name: ${y(`${what}: look at what is there`)}`,
    '  ansible.builtin.stat:', `    path: ${y(row.dest)}`, '    checksum_algorithm: sha256', `  register: ${there}`,
    ...refuse,
    `- name: ${y(`${what}: the directory, writable for its owner alone`)}`,
    '  ansible.builtin.file:', `    path: ${y(dirOf(row.dest))}`, '    state: directory', `    owner: ${owner}`, `    group: ${group}`, '    mode: "0755"',
    `- name: ${y(`${what}: the file`)}`,
    '  ansible.builtin.copy:', `    src: ${y(`${row.client}/${name}`)}`, `    dest: ${y(row.dest)}`, `    owner: ${owner}`, `    group: ${group}`, `    mode: ${y(row.mode)}`,
  ];
}

export function ansibleTasks(os: ManagedOs, launcher: ManagedLauncher, rows: readonly ManagedRow[]): string {
  return [
    '# Written by "praetorctl clients render --managed". Run with become; the last task runs as the connecting user.',
    `- name: ${y('the launcher is there for every user')}`,
    '  ansible.builtin.stat:', `    path: ${y(launcher.path)}`, '  register: praetorctl_launcher',
    `- name: ${y('without the launcher no hook would run')}`,
    '  ansible.builtin.assert:', '    that:', '      - praetorctl_launcher.stat.exists and praetorctl_launcher.stat.executable', `    fail_msg: ${y(`install praetorctl machine-wide first: ${launcher.path}`)}`,
    ...rows.flatMap((row) => ansibleFile(os, row)),
    ...rows.length === 0 ? [] : [
      `- name: ${y('what the clients of this user are told now')}`,
      '  ansible.builtin.command:', `    argv: ${JSON.stringify([launcher.path, 'clients', 'verify', '--require', 'installed', '--json', '--client', [...new Set(rows.map(({ client }) => client))].join(',')])}`,
      '  become: false', '  register: praetorctl_verify', '  changed_when: false', '  failed_when: praetorctl_verify.rc not in [0, 3]',
    ],
    '',
  ].join('\n');
}

// Intune. Single quotes keep PowerShell from reading anything inside.

const ps = (text: string): string => `'${text.replace(/'/g, "''")}'`;

const psHead = (launcher: ManagedLauncher, what: string): string[] => [
  `# Written by "praetorctl clients render --managed". ${what} Runs as SYSTEM, 64-bit. Not executed on Windows by us.`,
  "$ErrorActionPreference = 'Stop'", `$launcher = ${ps(launcher.path)}`,
];

const psRow = (row: ManagedRow, more: readonly string[] = []): string => `  @{ ${[`dest = ${ps(row.dest)}`, `sha256 = ${ps(row.sha256)}`, `ifPresent = ${ps(row.ifPresent)}`, ...more].join('; ')} }`;

const PS_HASH = 'function Get-Sha256($path) { (Get-FileHash -LiteralPath $path -Algorithm SHA256).Hash.ToLowerInvariant() }';

export function intuneDetect(launcher: ManagedLauncher, rows: readonly ManagedRow[]): string {
  return [
    ...psHead(launcher, 'Exit 1: something differs.'),
    `$files = @(\r\n${rows.map((row) => psRow(row)).join(",\r\n")}\r\n)`, PS_HASH,
    '$wrong = @()',
    'if (-not (Test-Path -LiteralPath $launcher -PathType Leaf)) { $wrong += "missing: $launcher" }',
    'foreach ($file in $files) {',
    '  if (-not (Test-Path -LiteralPath $file.dest -PathType Leaf)) { $wrong += "missing: $($file.dest)" }',
    '  elseif ((Get-Sha256 $file.dest) -ne $file.sha256) { $wrong += "differs: $($file.dest)" }',
    '}',
    "if ($wrong.Count -gt 0) { Write-Output ($wrong -join '; '); exit 1 }",
    "Write-Output 'as desired'", 'exit 0', '',
  ].join('\r\n');
}

export function intuneRemediate(launcher: ManagedLauncher, made: readonly { readonly row: ManagedRow; readonly text: string }[]): string {
  return [
    ...psHead(launcher, 'A file that others may keep things in is put only where none stands.'),
    `$files = @(\r\n${made.map(({ row, text }) => psRow(row, [`content = ${ps(base64(text))}`])).join(",\r\n")}\r\n)`, PS_HASH,
    'if (-not (Test-Path -LiteralPath $launcher -PathType Leaf)) { Write-Output "install praetorctl machine-wide first: $launcher"; exit 1 }',
    '$refused = @()',
    'foreach ($file in $files) {',
    '  $there = Test-Path -LiteralPath $file.dest -PathType Leaf',
    '  if ($there -and (Get-Sha256 $file.dest) -eq $file.sha256) { continue }',
    "  if ($there -and $file.ifPresent -eq 'refuse') { $refused += $file.dest; continue }",
    '  New-Item -ItemType Directory -Force -Path (Split-Path -Parent $file.dest) | Out-Null',
    "  $temp = $file.dest + '.praetorctl.tmp'",
    '  [IO.File]::WriteAllBytes($temp, [Convert]::FromBase64String($file.content))',
    '  Move-Item -LiteralPath $temp -Destination $file.dest -Force',
    // By well-known ids: the names of these groups depend on the language of the system.
    "  & icacls.exe $file.dest /inheritance:r /grant:r '*S-1-5-18:F' '*S-1-5-32-544:F' '*S-1-5-32-545:RX' | Out-Null",
    '  if ((Get-Sha256 $file.dest) -ne $file.sha256) { Write-Output "readback differs: $($file.dest)"; exit 1 }',
    '}',
    'if ($refused.Count -gt 0) { Write-Output ("already there, add the entries that manifest.json names under merge: " + ($refused -join \'; \')); exit 1 }',
    'exit 0', '',
  ].join('\r\n');
}

// Configuration profiles

/** A property list knows no null; our entries hold none. */
function plistOf(value: JsonValue): PlistValue {
  if (Array.isArray(value)) return value.map(plistOf);
  if (typeof value !== 'object' || value === null) return value ?? '';
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plistOf(inner)]));
}

/** From the content, so that the same profile has the same id and a changed one another. */
function uuidOf(text: string): string {
  const hex = sha256Hex(text);
  return [hex.slice(0, 8), hex.slice(8, 12), `5${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-').toUpperCase();
}

export function jamfProfile({ domain, base64Key }: ManagedDomain, document: JsonObject, text: string): string {
  const keys = base64Key === undefined ? Object.fromEntries(Object.entries(document).map(([key, value]) => [key, plistOf(value)])) : { [base64Key]: base64(text) };
  const id = `io.praetorctl.managed.${domain}`;
  return plistText({
    PayloadType: 'Configuration', PayloadVersion: 1, PayloadIdentifier: id, PayloadUUID: uuidOf(`profile ${domain} ${text}`), PayloadDisplayName: `praetorctl: ${domain}`, PayloadScope: 'System',
    PayloadContent: [{ ...keys, PayloadType: domain, PayloadVersion: 1, PayloadIdentifier: `${id}.settings`, PayloadUUID: uuidOf(`payload ${domain} ${text}`), PayloadDisplayName: domain }],
  });
}

// The guide

export function readme({ os, launcher, rows, profiles, none }: Omit<ManagedOutput, 'files'>): string {
  const said = (fact: ManagedRow['basis']): string => `${fact.text} (${fact.basis}${fact.versions === undefined ? '' : `: ${fact.versions}`})`;
  const tool = os === 'windows' ? '`intune/`: detection and remediation; not executed on Windows by us' : `\`ansible/\`: tasks and files${os === 'macos' ? '; `jamf/`: configuration profiles. Not executed on macOS by us' : ''}`;
  return [
    `# praetorctl in the managed channels of ${os}`, '',
    `The launcher must be machine-wide first: \`${launcher.path}\`. Registered is \`${launcher.registeredAs}\`: ${launcher.why}.`, '',
    `\`files/\`: what goes where \`manifest.json\` says. ${tool}.`, '',
    'People who have our hooks in their own files too are asked twice: `praetorctl clients remove --client ID` there.',
    ...rows.flatMap((row) => [
      '', `## ${row.client}: ${row.source.split('/').at(-1) ?? ''}`, '', `- to \`${row.dest}\`, ${row.owner}, ${row.mode}; no directory above may be writable for group or others. ${said(row.basis)}`,
      ...(row.ifPresent === 'refuse' ? ['- only where no such file is; otherwise add to it what `manifest.json` names under `merge`'] : ['- a file of our own beside others: it is replaced']),
      `- wins over: ${said(row.winsOver)}`, ...row.blockedBy.map((fact) => `- beaten by: ${said(fact)}`), `- check: \`${row.verify}\``,
    ]),
    ...profiles.flatMap(({ client, domain, basis }) => ['', `## ${client} by profile: ${domain}`, '', `- ${said(basis)}`, '- one of the two, file or profile']),
    ...(none.length === 0 ? [] : ['', '## Not here', '', ...none.map(({ client, why }) => `- ${client}: ${said(why)}`)]), '',
  ].join('\n');
}
