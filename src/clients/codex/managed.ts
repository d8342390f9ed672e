// Contract: the Codex CLI's managed channel: hooks in requirements.toml, with the feature pinned on. Measured on 0.171.0, Linux. PURE.
import type { Tolerance } from '../../model/edit.ts';
import type { ManagedSurface } from '../../model/managed.ts';
import { documented, measuredOn } from '../facts.ts';

const measured = measuredOn('0.171.0');

const TOML: Tolerance = { comments: true, trailingCommas: true, bom: false, utf16le: false, emptyIsObject: true };

export const codexManaged: ManagedSurface = {
  file: (platform) => ({
    path: platform === 'win32' ? 'C:\\ProgramData\\OpenAI\\Codex\\requirements.toml' : '/etc/codex/requirements.toml', format: 'toml', tolerance: TOML, shared: true,
    basis: platform === 'linux' ? measured('its hooks run without trust, and a person cannot disable them') : documented('the requirements file of this system'),
  }),
  // Without it a trusted repository, a profile or a flag switches every hook off (measured).
  besides: { features: { hooks: true } },
  winsOver: measured('user, project, profile, flags: a requirement is no layer, and features.hooks = true in it pins the hooks on'),
  blockedBy: [
    documented('requirements of the vendor\'s cloud or of an MDM profile; versions differ in the order: ask the client with configRequirements/read'),
    measured('a fault anywhere in the file: Codex then refuses to start'),
  ],
  domain: { domain: 'com.openai.codex', base64Key: 'requirements_toml_base64', basis: documented('the same document in base64') },
};
