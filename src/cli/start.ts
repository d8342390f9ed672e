// Contract: `npm start`: the main job on this user's home. Detects clients and shows the plan; asks on a terminal, otherwise
// says how to apply. With no client here it says so and does the same job in a temporary demonstration home.
import { EXIT } from '../model/diagnostic.ts';
import { survey, type Survey } from '../clientsetup/survey.ts';
import { clientsApply, clientsVerify, requestOf } from './clients.ts';
import { demonstrate } from './demo.ts';
import { styleFor, type Outcome } from './output.ts';
import type { CommandContext } from './program.ts';
import { planBody, renderPlan } from './view.ts';
import { paint } from './style.ts';

function foundText({ selected }: Survey): string {
  const names = selected.map(({ client, detection }) => `${client.name}${detection.how === 'configuration' ? ' (configuration only)' : ''}`);
  return names.length === 0 ? 'No AI coding client was found on this workstation.' : `Found: ${names.join(', ')}.`;
}

const isBlocked = ({ plan }: Survey): boolean => plan.diagnostics.some((d) => d.severity === 'error');

/** Plan on stdout and how to go on; exit 0, because a plan with changes is no failure of `npm start`. */
function showOnly(context: CommandContext, seen: Survey): Outcome {
  const { plan } = seen;
  const style = styleFor(context.io, context.global, seen.context.home);
  const blocked = isBlocked(seen);
  const empty = plan.files.every((file) => file.action === 'none');
  const next = blocked ? 'Nothing can be applied until the errors are corrected.'
    : empty ? 'Everything is registered. See what is true: praetorctl clients verify'
      : `Nothing was written. To apply this plan: npm start -- --yes   (or: praetorctl clients apply)`;
  return {
    exit: blocked ? EXIT.failed : EXIT.ok, kind: 'start', wrote: false, diagnostics: plan.diagnostics,
    body: { demonstration: false, plan: planBody(plan) }, text: [foundText(seen), '', renderPlan(style, plan, context.global.verbose), '', next].join('\n'),
  };
}

export async function start(context: CommandContext): Promise<Outcome> {
  const { io, options, global } = context;
  const seen = survey(io.host, requestOf(context, 'apply'));
  const style = styleFor(io, global, seen.context.home);
  if (options['demo'] === true || seen.selected.length === 0) {
    const head = options['demo'] === true ? 'Demonstration, as asked.' : foundText(seen);
    return await demonstrate(context, `${paint(style, 'bold', head)}\nThe same job follows in a temporary home with grown files of several clients; yours is not touched.`);
  }
  const canAsk = io.inIsTty && io.errIsTty && !global.json;
  if (isBlocked(seen) || (options['yes'] !== true && !canAsk)) return showOnly(context, seen);
  io.err(`${foundText(seen)}\n`);
  const applied = await clientsApply({ ...context, args: [] });
  const verified = clientsVerify(context);
  return { ...applied, kind: 'start', body: { demonstration: false, ...applied.body, clients: verified.body['clients'] }, text: `${applied.text}\n\n${verified.text}` };
}
