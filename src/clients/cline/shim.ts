// Contract: the body of Cline's hook files. It has no dependency, keeps no state and decides nothing: it asks the command in
// COMMANDS (a line that the generator puts before it) and cancels the task wherever there is no clear answer. PURE.
// Cline runs the call after a hook that crashed, so nothing is thrown, and only silence with exit 0 lets a call pass. The text
// is valid as a CommonJS and as an ES module: which one it is depends on a package.json above it that is not ours.

/** Set by the hook file for the hook alone, so that a hook that is run by hand is not taken for the client's. */
export const CLINE_SHIM_MARK = 'PRAETORCTL_SHIM';

export const SHIM_BODY = `const ANSWER_MS_MAX = 30000;
const ANSWER_BYTES_MAX = 1048576;
const [native, command] = Object.entries(COMMANDS)[0];

// Undefined where the call may go on, else why not.
function refusal(run) {
  if (run.error) return 'the guard gave no answer (' + (run.error.code || 'unknown') + ')';
  if (run.signal) return 'the guard was ended by ' + run.signal;
  if (run.status !== 0) return 'the guard ended with exit ' + run.status + (run.status === 127 ? ': praetorctl is not on PATH' : '');
  if (run.stdout.trim() === '') return undefined;
  try {
    const answer = JSON.parse(run.stdout);
    if (answer.cancel === true && typeof answer.errorMessage === 'string') return answer.errorMessage;
  } catch {}
  return 'the guard gave an answer that cannot be read';
}

function cancel(reason) {
  // Only the tool hook is waited for; a later event is never a reason to stop a task.
  if (native === 'PreToolUse' && reason !== undefined) process.stdout.write(JSON.stringify({ cancel: true, errorMessage: reason }) + '\\n');
}

import("node:child_process")
  .then(({ spawnSync }) => cancel(refusal(spawnSync(command, {
    shell: true, stdio: ['inherit', 'pipe', 'inherit'], encoding: 'utf8', timeout: ANSWER_MS_MAX, maxBuffer: ANSWER_BYTES_MAX, windowsHide: true,
    env: { ...process.env, ${CLINE_SHIM_MARK}: 'cline' },
  }))))
  .catch((error) => cancel('the guard could not be asked (' + error.message + ')'));
`;
