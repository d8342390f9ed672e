// Contract: the flags that select settings documents, in one place: their definitions and what they mean. PURE.
import { Option, type Command } from 'commander';
import type { SettingsChoice } from '../settings/load.ts';

/** Adds them to a command that reads settings. */
export function withSettings(command: Command): Command {
  return command
    .addOption(new Option('--settings <file>', 'your own settings document (default: settings.yaml in the praetorctl configuration directory)').env('PRAETORCTL_SETTINGS'))
    .addOption(new Option('--fleet-settings <file>', 'settings document of the fleet (default: that of the installed version, if it has one)').env('PRAETORCTL_FLEET_SETTINGS'))
    .addOption(new Option('--org-settings <file>', 'settings document of the organisation (default: that of the installed version, if one was named at the installation)').env('PRAETORCTL_ORG_SETTINGS'));
}

/** An option's value, where one was given. */
export const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

export function settingsChoice(options: Readonly<Record<string, unknown>>): SettingsChoice {
  return { settings: text(options['settings']), fleet: text(options['fleetSettings']), organisation: text(options['orgSettings']), version: text(options['settingsOf']) };
}
