// Contract: `praetorctl clients render --managed`: the pure output of fleet/managed.ts onto a directory that is empty or was written
// by an earlier run. No file of a machine is written.
import { clientById, CLIENTS } from '../clients/registry.ts';
import { outRoot, planOutDir, writeOutDir, type OutDir } from '../clientsetup/out-dir.ts';
import { ownDirsOf } from '../clientsetup/survey.ts';
import { MANAGED_MANIFEST, MANAGED_OS, parseManagedManifest, renderManaged, type ManagedOs, type ManagedOutput } from '../fleet/managed.ts';
import type { Fact, Platform } from '../model/client.ts';
import { EXIT, PraetorError } from '../model/diagnostic.ts';
import { rootContext } from '../roots/context.ts';
import { loadSettings } from '../settings/load.ts';
import { wantedEvents } from '../settings/schema.ts';
import type { Outcome } from './output.ts';
import type { CommandContext } from './program.ts';
import { settingsChoice, text } from './settings-options.ts';

const HERE: Readonly<Record<Platform, ManagedOs>> = { linux: 'linux', darwin: 'macos', win32: 'windows' };

function lines({ launcher, rows, profiles, none }: ManagedOutput): string[] {
  const basis = (fact: Fact): string => (fact.basis === 'measured' ? '' : ` (${fact.basis})`);
  return [
    `launcher: ${launcher.path}, machine-wide; registered as ${launcher.registeredAs}: ${launcher.why}`,
    ...rows.flatMap((row) => [
      `${row.client}: ${row.dest}${row.ifPresent === 'refuse' ? ', only where no such file is (else: merge in manifest.json)' : ', a file of our own'}${basis(row.basis)}`,
      `  wins over: ${row.winsOver.text}${basis(row.winsOver)}`, ...row.blockedBy.map((fact) => `  beaten by: ${fact.text}${basis(fact)}`),
    ]),
    ...profiles.map(({ client, domain, basis: fact }) => `${client}: profile ${domain}: ${fact.text}${basis(fact)}`),
    ...none.map(({ client, why }) => `${client}: nothing: ${why.text}${basis(why)}`),
  ];
}

export function clientsRender({ io: { host }, options }: CommandContext): Outcome {
  if (options['managed'] !== true) throw new PraetorError({ code: 'usage', message: 'say what to render', fix: 'praetorctl clients render --managed --out DIR' });
  const os = MANAGED_OS.find((one) => one === options['os']) ?? HERE[host.platform];
  const loaded = loadSettings(host, ownDirsOf(host, rootContext(host)).config, settingsChoice(options));
  if (!loaded.ok) throw new PraetorError(loaded.diagnostics[0] ?? { code: 'settings-invalid', message: 'the settings are invalid', fix: 'correct them' });
  const named = Array.isArray(options['client']) ? options['client'].map((word) => clientById(String(word))) : [];
  const output = renderManaged({ os, clients: named.length === 0 ? CLIENTS : named, events: wantedEvents(loaded.settings), launcher: text(options['launcher']) });
  const target: OutDir = { host, root: outRoot(host, String(options['out'])), manifest: MANAGED_MANIFEST, parse: parseManagedManifest, what: 'a rendered set' };
  const plan = planOutDir(target, output.files);
  writeOutDir(target, output.files, plan);
  const { rows, files, ...rest } = output;
  return {
    exit: EXIT.ok, kind: 'clients-render', wrote: true, diagnostics: [],
    body: { os, out: target.root, launcher: rest.launcher, files: rows, profiles: rest.profiles, none: rest.none, written: plan.write.length, removed: [...plan.drop] },
    text: [...lines(output), `${plan.write.length} of ${files.size} files written to ${target.root}`, 'next: review README.md and manifest.json there; praetorctl writes none of these files onto a machine by itself'].join('\n'),
  };
}
