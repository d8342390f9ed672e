// Contract: `praetorctl doctor`: flags -> runDoctor -> rows, as text or JSON.
import { runDoctor } from '../verify/doctor.ts';
import { renderDoctor } from './verify-view.ts';
import { rootContext } from '../roots/context.ts';
import { requestOf } from './clients.ts';
import { styleFor, type Outcome } from './output.ts';
import type { CommandContext } from './program.ts';

export function runDoctorCommand(context: CommandContext): Outcome {
  const { io, global } = context;
  const { clients, scope, documents } = requestOf(context, 'apply');
  const result = runDoctor(io.host, { clients, scope, ...(documents === undefined ? {} : { documents }) });
  const style = styleFor(io, global, rootContext(io.host).home);
  return { exit: result.exit, kind: 'doctor', body: { rows: result.rows }, text: renderDoctor(result, style), diagnostics: result.diagnostics, wrote: false };
}
