// Contract: verdicts over time: for each verdict that occurred one plot with a scale of its own, because one refusal among ten
// thousand calls is the one to see; and the same numbers as a table. PURE.
import { HISTORY_DAYS, HISTORY_VERDICTS, type History } from '../verify/history.ts';
import type { ReceiptVerdict } from '../receipts/format.ts';
import { html, NOTHING, type Html } from './html.ts';

const WORD: Readonly<Record<ReceiptVerdict, string>> = {
  neutral: 'no opinion', allow: 'allowed', ask: 'asked', deny: 'refused', error: 'not judged', skipped: 'skipped', recorded: 'recorded only',
};

/** One day in units of the drawing, and the part of it that the bar takes. */
const DAY_WIDTH = 10;
const BAR_WIDTH = 8;
const HEIGHT = 40;

function bars(counts: readonly number[], most: number): Html[] {
  return counts.map((count, i) => {
    // A single one beside thousands must not vanish.
    const height = count === 0 ? 0 : Math.max(2, Math.round((count / most) * HEIGHT));
    return count === 0 ? NOTHING : html`<rect x="${i * DAY_WIDTH + 1}" y="${HEIGHT - height}" width="${BAR_WIDTH}" height="${height}"/>`;
  });
}

function plot(history: History, verdict: ReceiptVerdict): Html {
  const counts = history.days.map(({ counts: found }) => found[verdict]);
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return NOTHING;
  const most = Math.max(...counts);
  const on = history.days[counts.lastIndexOf(most)]?.day ?? '';
  const said = `${total} in ${HISTORY_DAYS} days, at most ${most} on one day (${on})`;
  return html`<figure><figcaption><strong>${WORD[verdict]}</strong> (${verdict}): ${said}</figcaption>
<svg class="plot ${verdict}" viewBox="0 0 ${HISTORY_DAYS * DAY_WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="Verdict ${verdict}, a bar for each day: ${said}">${bars(counts, most)}</svg>
<div class="axis"><span>${history.days[0]?.day ?? ''}</span><span>${history.days.at(-1)?.day ?? ''}</span></div></figure>
`;
}

function numbers(history: History): Html {
  const rows = [...history.days].reverse().map(({ day, counts }) => html`<tr><th scope="row">${day}</th>${HISTORY_VERDICTS.map((verdict) => html`<td class="number">${counts[verdict]}</td>`)}</tr>
`);
  return html`<details><summary>The same as numbers</summary><div class="wide" tabindex="0" role="region" aria-label="Verdicts by day"><table><caption>Verdicts by day, in UTC, the newest day first</caption>
<thead><tr><th scope="col">day</th>${HISTORY_VERDICTS.map((verdict) => html`<th scope="col" class="number">${WORD[verdict]}</th>`)}</tr></thead>
<tbody>${rows}</tbody></table></div></details>`;
}

const many = (n: number, word: string): string => `${n} ${word}${n === 1 ? '' : 's'}`;

/** What the numbers are about: nobody may take a part for the whole. */
export function extentOf(history: History): string {
  if (history.unread !== null) return `The receipts cannot be read (${history.unread}).`;
  const from = history.days.find(({ counts }) => HISTORY_VERDICTS.some((verdict) => counts[verdict] > 0))?.day;
  return [
    `Counted: ${many(history.counted, 'receipt')} of the last ${HISTORY_DAYS} days${from === undefined ? '' : `, the oldest of ${from}`}.`,
    ...(history.complete ? [] : ['There are more of these days than are read: the oldest days are not complete.']),
    ...(history.synthetic === 0 ? [] : [`Not counted: ${history.synthetic} made by doctor or the demonstration.`]),
    ...(history.leftOut === 0 ? [] : [`Left out: ${many(history.leftOut, 'line')} that cannot be a receipt of these days.`]),
  ].join(' ');
}

export function verdictPlots(history: History): Html {
  const drawn = history.counted === 0 ? NOTHING : html`<div class="plots">${HISTORY_VERDICTS.map((verdict) => plot(history, verdict))}</div>
${numbers(history)}`;
  return html`<p>${extentOf(history)} Every client on this machine is counted.</p>
${drawn}`;
}
