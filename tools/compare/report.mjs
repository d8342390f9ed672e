// Contract: answers of all guards -> docs/comparison.md: the same text for the same answers, without a date. PURE.
import { NOT_RUN } from './guards.mjs';

const stops = (answer) => answer === 'deny' || answer === 'ask';

/** Per class of rows that should be stopped: caught of all; false positives over the rows that should not. */
export function score(cases, answers) {
  const classes = new Map();
  let [caught, asked, bad, falsePositives, good, errors] = [0, 0, 0, 0, 0, 0];
  cases.forEach((one, i) => {
    const stopped = stops(answers[i]);
    if (answers[i] === 'error') errors++;
    if (one.expect === 'allow') {
      good++;
      if (stopped) falsePositives++;
      return;
    }
    bad++;
    const row = classes.get(one.class) ?? { rows: 0, caught: 0 };
    row.rows++;
    if (stopped) {
      row.caught++;
      caught++;
      if (answers[i] === 'ask') asked++;
    }
    classes.set(one.class, row);
  });
  return { classes, caught, asked, bad, falsePositives, good, errors };
}

const percent = (part, of) => (of === 0 ? '-' : `${Math.round((part / of) * 1000) / 10} %`);
const line = (cells) => `| ${cells.join(' | ')} |`;

function classTable(scored) {
  const names = [...scored[0].classes.keys()].sort();
  const best = (name) => Math.max(...scored.map((one) => one.classes.get(name).caught));
  return [
    line(['class', 'rows', ...scored.map((one) => one.guard.name)]), line(['---', '---:', ...scored.map(() => '---:')]),
    ...names.map((name) => line([name, scored[0].classes.get(name).rows, ...scored.map((one) => {
      const { caught, rows } = one.classes.get(name);
      return caught === best(name) && caught > 0 ? `**${percent(caught, rows)}**` : percent(caught, rows);
    })])),
  ].join('\n');
}

function totalTable(scored) {
  return [
    line(['guard', 'version', 'recall', 'of these asked', 'precision', 'false positives', 'CPU, plain words', 'CPU, shell syntax']), line(['---', '---', '---:', '---:', '---:', '---:', '---:', '---:']),
    ...scored.map((one) => line([
      one.guard.name, one.version, percent(one.caught, one.bad), one.asked, percent(one.caught, one.caught + one.falsePositives), `${one.falsePositives} of ${one.good}`,
      ...['plain', 'syntax'].map((kind) => (one.guard.plugin !== undefined ? 'in process' : one.ratio === undefined ? '-' : `${one.ratio[kind].toFixed(2)} x node`)),
    ])),
  ].join('\n');
}

/** Where another guard catches more, it is said in words. */
function better(scored) {
  const ours = scored.find((one) => one.guard.id === 'praetorctl');
  if (ours === undefined) return '';
  const lines = scored.filter((one) => one.guard.package !== undefined).flatMap((one) => {
    const ahead = [...one.classes].filter(([name, { caught }]) => caught > ours.classes.get(name).caught).map(([name, { caught }]) => `${name} (${caught} against ${ours.classes.get(name).caught})`);
    const calmer = one.falsePositives < ours.falsePositives ? [`fewer false positives (${one.falsePositives} against ${ours.falsePositives})`] : [];
    const cheaper = ['plain', 'syntax'].filter((kind) => one.ratio !== undefined && ours.ratio !== undefined && one.ratio[kind] < ours.ratio[kind] - 0.02)
      .map((kind) => `less CPU for ${kind === 'plain' ? 'plain words' : 'shell syntax'} (${one.ratio[kind].toFixed(2)} against ${ours.ratio[kind].toFixed(2)})`);
    const all = [...ahead, ...calmer, ...cheaper];
    return all.length === 0 ? [] : [`- ${one.guard.name}: ${all.join(', ')}.`];
  });
  return lines.length === 0 ? 'On this corpus, in no class.' : lines.join('\n');
}

export function render(scored, cases) {
  const good = cases.filter((one) => one.expect === 'allow').length;
  const errors = scored.filter((one) => one.errors > 0).map((one) => `${one.guard.name} gave no usable answer to ${one.errors} rows; they count as not caught.`);
  return `<!-- Written by \`node tools/compare/run.mjs --write\`. Do not edit. -->
# Side by side

What guards that install from npm say to the same ${cases.length} command lines: ${cases.length - good} that should be stopped, ${good} that should not.

${totalTable(scored)}

Recall by class of the rows that should be stopped; the best of each class is bold:

${classTable(scored)}

## Where another guard catches more, or costs less

${better(scored)}

## What each is made for

${scored.map((one) => `- **${one.guard.name}** ${one.version}: ${one.guard.made}.${one.guard.note === undefined ? '' : ` (${one.guard.note}.)`}`).join('\n')}

A guard that is made for one class is not worse for leaving the others alone: read its column in its own class. The guards other than praetorctl also do things that this corpus does not ask about: cc-safety-net guards secrets in the read, search and edit tools of its clients, block-no-verify guards MCP calls, ecc-universal asks for facts before edits.

Not run, and why:

${NOT_RUN.map(([name, why]) => `- ${name}: ${why}.`).join('\n')}

## Method

- The corpus is [test/fixtures/policy/commands.jsonl](../test/fixtures/policy/commands.jsonl). It was collected for this project, from reports of users and from the documents of the programs, so it asks about what this project wants to catch. praetorctl was built with these rows in its tests and the others were not: its own columns say that it passes its tests, not what it does with commands that nobody wrote down. Bring another corpus (\`--cases FILE\`) for that. Rows of the classes \`b-…\` should not be stopped: text that is data, everyday work, contested commands.
- Each guard is the version named, as it is installed, with its defaults; what was set is said above. Each has a home directory and a git repository in it of its own (not below a temporary directory, where removal matters less; \`/home/dev\` in the corpus stands for that home), and no settings of a person.
- Each guard is a process of its own for each row and gets a Claude Code \`PreToolUse\` document on standard input. Caught means: exit 2, or a document that says deny, block or ask. Nothing is ever executed. The one plugin is asked inside this process, as its client would.
- Recall is caught rows over rows that should be stopped; precision is caught rows over all stopped rows.
- The cost is CPU time (user and system, children included) of a whole hook process for one harmless command, one of plain words and one with shell syntax, as a ratio to an empty Node process: interleaved batches of five, order reversed every other round, medians. Ratios hold under load; compare them with each other, not with those of another machine.
${errors.length === 0 ? '' : `- ${errors.join(' ')}\n`}
To repeat it, with the same versions:

    npm ci && npm run build && node tools/compare/run.mjs

\`--write\` renews this file, \`--cases FILE\` takes another corpus, \`--only id,id\` some of the guards, \`--json FILE\` keeps every answer.
`;
}
