// Contract: the page of `clients report`: one document without scripts, links to elsewhere or anything that is loaded. The same values
// as verify shows; nothing is decided here. PURE.
import { IMPORTANCE_TITLES, importanceOf, reasonsByImportance } from '../verify/importance.ts';
import type { Fact } from '../model/client.ts';
import type { Tri } from '../model/evidence.ts';
import type { Report, ShownProof } from '../verify/report.ts';
import type { ClientReport } from '../verify/verify.ts';
import { html, NOTHING, trusted, type Html, type HtmlPart } from './html.ts';
import { verdictPlots } from './report-plot.ts';
import { REPORT_STYLE } from './report-style.ts';
import { tilde, withTilde, type Style } from './style.ts';
import { proofAge, showAge } from './verify-view.ts';
import { splitCommand } from './wrap.ts';

/** The first bytes of every page of ours, by which it may be replaced. */
export const PAGE_HEAD = '<!doctype html>\n<!-- praetorctl clients report -->\n';

export interface PageFacts {
  /** Of praetorctl. */
  readonly version: string;
  readonly look: Pick<Style, 'home'>;
  /** SHA-256 of a text in base64, for the content security policy. */
  readonly sha256Base64: (text: string) => string;
}

const shortTime = (time: string): string => `${time.slice(0, 10)} ${time.slice(11, 16)} UTC`;
const MARK = { good: '✓', bad: '✕', doubt: '?', muted: '–' } as const;

function cell(tone: keyof typeof MARK, word: string): Html {
  return html`<td class="${tone}"><span aria-hidden="true">${MARK[tone]} </span>${word}</td>`;
}

/** `good` is the answer that is well; where nothing is registered, "no" is no fault. */
function tri(value: Tri, good: boolean, registered: boolean): Html {
  if (value === 'unknown') return cell('doubt', 'unknown');
  const word = value ? 'yes' : 'no';
  if (value === good) return cell(good ? 'good' : 'muted', word);
  return cell(registered ? 'bad' : 'muted', word);
}

const TRUST_TONE = { none: 'muted', trusted: 'good', untrusted: 'bad', modified: 'bad', disabled: 'bad', unknown: 'doubt' } as const;
const trustWord = (trust: ClientReport['trust']): string => (trust === 'none' ? 'no gate' : trust);

function matrixRow(client: ClientReport, now: number): Html {
  const { states, lastToolReceipt } = client;
  const registered = states.absent !== true;
  const age = proofAge(client, now);
  return html`<tr><th scope="row"><a href="#client-${client.client}">${client.name}</a></th><td>${client.version ?? 'not known'}</td>
${tri(states.installed, true, registered)}${tri(states.discovered, true, registered)}${tri(states.observed, true, registered)}${tri(states.drifted, false, true)}${tri(states.stale, false, true)}
<td>${lastToolReceipt === null ? 'none' : `${showAge(lastToolReceipt.age)} ago`}</td>${cell(TRUST_TONE[client.trust], trustWord(client.trust))}${age === null ? cell('muted', 'no') : cell('good', `${showAge(age)} ago`)}</tr>
`;
}

function matrix({ verified }: Report): Html {
  const heads = ['client', 'version', 'installed', 'discovered', 'observed', 'drifted', 'stale', 'newest tool receipt', 'trust', 'proven'];
  if (verified.clients.length === 0) return html`<p>No client was found on this machine.</p>`;
  return html`<p class="muted">A receipt shows that the hook ran; only a proof shows that the client obeyed.</p>
<div class="wide" tabindex="0" role="region" aria-labelledby="matrix-title"><table><caption>What was seen of each client</caption>
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${verified.clients.map((client) => matrixRow(client, verified.now))}</tbody></table></div>`;
}

function fixLine(look: PageFacts['look'], fix: string): Html {
  if (fix === '') return NOTHING;
  const [before, command] = splitCommand(withTilde(look, fix));
  return html`<p>Next: ${before}${command === '' ? NOTHING : html`<code>${command}</code>`}</p>`;
}

/** The id under which docs/verify.md describes it. */
const checkOf = (check: string | undefined): Html => (check === undefined ? NOTHING : html` <span class="muted">[${check}]</span>`);

function todo({ verified }: Report, look: PageFacts['look']): Html {
  const groups = reasonsByImportance(verified.clients);
  if (groups.length === 0) return html`<p>Nothing: every client shown is as it should be.</p>`;
  const item = (reason: (typeof groups)[number]['reasons'][number]): Html => html`<li><p><strong>${reason.clients.join(', ')}</strong>: ${withTilde(look, reason.text)}${checkOf(reason.check)}</p>${fixLine(look, reason.fix)}</li>
`;
  return html`${groups.map(({ importance, reasons }) => html`<h3>${capital(IMPORTANCE_TITLES[importance])}</h3>
<ul class="reasons ${importance}">${reasons.map(item)}</ul>
`)}`;
}

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

function proofRow(proof: ShownProof): Html {
  const word = proof.result === 'not-proven' ? cell('bad', 'not proven') : proof.binds ? cell('good', 'proven') : cell('doubt', 'proven then, does not bind any more');
  return html`<tr><th scope="row">${shortTime(proof.time)}</th><td>${proof.client}</td>${word}<td class="text">${proof.cause}</td><td>${proof.clientVersion ?? 'not known'}</td><td>${proof.engine}</td></tr>
`;
}

function proofs(report: Report): Html {
  if (report.proofsUnread !== null) return html`<p>The proofs cannot be read (${report.proofsUnread}).</p>`;
  if (report.proofs.length === 0) return html`<p>No client was proven yet. Next: <code>praetorctl clients prove</code></p>`;
  const heads = ['time', 'client', 'result', 'cause', 'version of the client', 'version of praetorctl'];
  return html`<p class="muted">A proof starts the client against a scripted model: a harmless command must run, a forbidden one must be refused.</p>
<div class="wide" tabindex="0" role="region" aria-labelledby="proofs-title"><table><caption>Runs of real clients, the newest first</caption>
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${report.proofs.map(proofRow)}</tbody></table></div>`;
}

const fact = ({ text, basis, versions }: Fact): Html => html`<li>${text} <span class="muted">(${basis}${versions === undefined ? '' : `, ${versions}`})</span></li>
`;

const pair = (word: string, value: HtmlPart): Html => html`<div><dt>${word}</dt><dd>${value}</dd></div>`;

function clientArticle(report: Report, client: ClientReport, look: PageFacts['look']): Html {
  const own = report.gaps.find((one) => one.client === client.client);
  const asDesired = client.hooks.filter((hook) => hook.status === 'as-desired').length;
  const reasons = client.reasons.map((reason) => html`<li><p>${capital(withTilde(look, reason.text))} <span class="muted">(${IMPORTANCE_TITLES[importanceOf(reason)]})</span>${checkOf(reason.check)}</p>${fixLine(look, reason.fix)}</li>
`);
  const servers = client.mcp.map(({ name, status }) => `${name} (${status})`).join(', ');
  const last = client.lastToolReceipt;
  return html`<article aria-labelledby="client-${client.client}"><h3 id="client-${client.client}">${client.name} <span class="muted">(${client.client})</span></h3>
<dl>
${pair('installed at', client.installs.length === 0 ? (client.detected === 'configuration' ? 'nowhere, only its configuration is here' : 'nowhere') : html`${client.installs.map(({ kind, path }, i) => html`${i === 0 ? '' : ', '}<code>${tilde(look, path)}</code>${kind === 'program' ? '' : ` (${kind})`}`)}`)}
${pair('version', client.version ?? `not known (${client.versionNote})`)}
${pair('hooks', `${asDesired} of ${client.hooks.length} as desired`)}
${pair('MCP servers', servers === '' ? 'none of the settings' : servers)}
${pair('trust', trustWord(client.trust))}
${pair('newest tool receipt', last === null ? 'none that counts' : `${shortTime(last.time)}, ${last.event}, answered ${last.verdict}`)}
${pair('proven', client.proven === null ? 'no' : shortTime(client.proven))}
${pair('facts seen on', own === undefined ? 'nothing' : `${own.seenOn.text} (${own.seenOn.basis})`)}
</dl>
<h4>Reasons and next actions</h4>
${reasons.length === 0 ? html`<p>None: it is as it should be.</p>` : html`<ul class="reasons">${reasons}</ul>`}
<h4>Known gaps, which no registration can close</h4>
${own === undefined || own.gaps.length === 0 ? html`<p>None is known.</p>` : html`<ul>${own.gaps.map(fact)}</ul>`}
</article>
`;
}

function summary({ verified }: Report): string {
  const of = (word: string, n: number): string => `${n} of ${verified.clients.length} ${word}`;
  const blocking = verified.clients.filter((client) => client.reasons.some((reason) => importanceOf(reason) === 'blocking')).length;
  const states = [of('installed', verified.clients.filter((c) => c.states.installed === true).length), of('observed', verified.clients.filter((c) => c.meets).length), of('proven', verified.clients.filter((c) => c.proven !== null).length)];
  return `${states.join(', ')}.${blocking === 0 ? '' : ` On ${blocking} the guard does not run as it should.`}`;
}

const SECTIONS = [['matrix', 'At a glance'], ['todo', 'What to do'], ['verdicts', 'Verdicts over time'], ['proofs', 'The last proofs'], ['clients', 'Each client, with its known gaps']] as const;

function section(id: (typeof SECTIONS)[number][0], content: Html): Html {
  const title = SECTIONS.find(([known]) => known === id)?.[1] ?? '';
  return html`<section aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2>
${content}
</section>
`;
}

export function reportPage(report: Report, facts: PageFacts): string {
  const { look, version } = facts;
  const { verified } = report;
  const policy = `default-src 'none'; style-src 'sha256-${facts.sha256Base64(REPORT_STYLE)}'; base-uri 'none'; form-action 'none'`;
  const seen = shortTime(new Date(verified.now).toISOString());
  const body = html`<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>AI coding clients and their guard, ${seen}</title>
<style>${trusted(REPORT_STYLE)}</style>
</head>
<body>
<a class="skip" href="#matrix-title">Skip to the matrix</a>
<header>
<h1>AI coding clients and their guard</h1>
<p class="muted">Seen on ${seen} by praetorctl ${version}, scope ${verified.scope}. This page shows that moment and does not change.</p>
<p class="summary">${verified.clients.length === 0 ? 'No client was found.' : summary(report)}</p>
<nav aria-label="Sections"><ul>${SECTIONS.map(([id, title]) => html`<li><a href="#${id}-title">${title}</a></li>`)}</ul></nav>
</header>
<main>
${section('matrix', matrix(report))}${section('todo', todo(report, look))}${section('verdicts', verdictPlots(report.history))}${section('proofs', proofs(report))}${section('clients', html`${verified.clients.map((client) => clientArticle(report, client, look))}`)}
</main>
<footer><p class="muted">Installed: our entries stand in the client's file. Discovered: the client has read them. Observed: a real session called the hook for a tool. Proven: the client obeyed a refusal in a run of its own. Drifted: the file is not as desired. Stale: the newest receipt is too old, or of another version.</p></footer>
</body>
</html>
`;
  return PAGE_HEAD + body.html;
}
