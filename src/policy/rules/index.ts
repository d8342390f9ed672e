// Contract: every built-in rule about commands, and the rules about calls of other tools. PURE.
import type { Rule, ToolRule } from '../types.ts';
import { CLOUD_RULES } from './infra-cloud.ts';
import { CODE_RULES } from './code.ts';
import { CONTAINER_RULES } from './infra-containers.ts';
import { DISK_RULES } from './disk.ts';
import { FORGE_RULES } from './infra-forge.ts';
import { FS_REMOVE_RULES } from './fs-remove.ts';
import { FS_WRITE_RULES } from './fs-write.ts';
import { GIT_HISTORY_RULES } from './git-history.ts';
import { GIT_PUSH_RULES } from './git-push.ts';
import { GIT_WORK_RULES } from './git-work.ts';
import { HOOK_RULES } from './hooks.ts';
import { HOST_RULES } from './host.ts';
import { MCP_RULES } from './mcp.ts';
import { OBFUSCATION_RULES } from './obfuscation.ts';
import { REMOTE_RULES } from './remote.ts';
import { SECRET_RULES } from './secrets.ts';
import { SELF_FILE_RULES, SELF_TOOL_RULES } from './self-files.ts';
import { SELF_SWITCH_RULES } from './self-switch.ts';
import { SQL_RULES } from './sql.ts';
import { WINDOWS_RULES } from './windows.ts';

/** Among rules that say the same, the first one is named: the plain reason stands before the particular one. */
export const RULES: readonly Rule[] = [
  ...HOOK_RULES, ...GIT_PUSH_RULES, ...GIT_WORK_RULES, ...GIT_HISTORY_RULES, ...FS_REMOVE_RULES, ...SELF_FILE_RULES, ...SELF_SWITCH_RULES, ...FS_WRITE_RULES,
  ...DISK_RULES, ...HOST_RULES, ...CODE_RULES, ...REMOTE_RULES, ...OBFUSCATION_RULES, ...SECRET_RULES, ...CONTAINER_RULES, ...CLOUD_RULES, ...FORGE_RULES, ...SQL_RULES, ...WINDOWS_RULES,
];

export const TOOL_RULES: readonly ToolRule[] = [...SELF_TOOL_RULES, ...MCP_RULES];
