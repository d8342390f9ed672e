// Contract: the style sheet of the report: readable in light and dark, on paper and on a phone; nothing moves unless the person allows it. PURE.

/** Text colours have a contrast of at least 4.5 on both grounds (test/report.browser.test.ts measures them). */
export const REPORT_STYLE = `
:root { color-scheme: light dark; --ground: #ffffff; --panel: #f4f6f8; --line: #c9d0d8; --text: #1a1f24; --muted: #525b65; --link: #0b57d0; --good: #0b6b2e; --bad: #b3261e; --doubt: #7a5200; --bar: #3b6ea8; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #14181c; --panel: #1d2329; --line: #3a434c; --text: #e7eaed; --muted: #a9b2bb; --link: #8ab4f8; --good: #74d993; --bad: #ff9389; --doubt: #f0c24b; --bar: #7fb0e6; }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } }
body { margin: 0 auto; max-width: 72rem; padding: 1.5rem 1rem 4rem; background: var(--ground); color: var(--text); font: 1rem/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .3rem; }
h2 { font-size: 1.3rem; margin: 2.5rem 0 .6rem; padding-bottom: .25rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1.05rem; margin: 1.4rem 0 .4rem; }
h4 { font-size: .95rem; margin: .9rem 0 .2rem; }
p, ul, dl { margin: .4rem 0; }
a { color: var(--link); }
a:focus-visible, summary:focus-visible, [tabindex]:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
code { font: .9em/1.4 ui-monospace, "DejaVu Sans Mono", monospace; background: var(--panel); border: 1px solid var(--line); border-radius: 4px; padding: .05em .35em; }
.skip { position: absolute; left: -100vw; background: var(--ground); padding: .5rem 1rem; }
.skip:focus { left: 1rem; top: .5rem; z-index: 2; }
.muted { color: var(--muted); }
.good { color: var(--good); }
.bad { color: var(--bad); font-weight: 600; }
.doubt { color: var(--doubt); }
.summary { font-size: 1.15rem; margin-top: .8rem; }
nav ul { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .3rem 1.1rem; }
.wide { overflow-x: auto; border: 1px solid var(--line); border-radius: 6px; }
table { border-collapse: collapse; width: 100%; font-size: .93rem; overflow-wrap: normal; }
caption { text-align: left; padding: .5rem .7rem; color: var(--muted); }
th, td { text-align: left; padding: .4rem .7rem; border-top: 1px solid var(--line); white-space: nowrap; vertical-align: top; }
thead th { background: var(--panel); font-weight: 600; }
tbody th { font-weight: 600; position: sticky; left: 0; background: var(--ground); }
tbody tr:hover, tbody tr:hover th { background: var(--panel); }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
td.text { white-space: normal; min-width: 12rem; }
.reasons { list-style: none; padding: 0; }
.reasons li { border-left: 4px solid var(--line); padding: .15rem 0 .15rem .8rem; margin: .6rem 0; }
.reasons.blocking li { border-color: var(--bad); }
.reasons.uncertain li, .reasons.open li { border-color: var(--doubt); }
.reasons p { margin: .1rem 0; }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 19rem), 1fr)); gap: 1.2rem; }
figure { margin: 0; min-width: 0; }
figcaption { font-size: .93rem; }
.plot { display: block; width: 100%; height: 3.5rem; margin-top: .3rem; border-bottom: 1px solid var(--muted); }
.plot rect { fill: var(--bar); }
.plot.deny rect, .plot.error rect { fill: var(--bad); }
.plot.ask rect { fill: var(--doubt); }
.axis { display: flex; justify-content: space-between; font-size: .8rem; color: var(--muted); }
details { margin-top: 1rem; }
summary { cursor: pointer; padding: .3rem 0; }
article { border: 1px solid var(--line); border-radius: 6px; padding: .2rem 1rem .8rem; margin: 1rem 0; }
article h3 { margin-top: .7rem; }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: .15rem 2rem; }
dl div { display: grid; grid-template-columns: 10rem 1fr; gap: .5rem; min-width: 0; }
dt { color: var(--muted); }
dd { margin: 0; min-width: 0; }
@media (max-width: 30rem) { dl div { grid-template-columns: 7.5rem 1fr; } }
@media print { nav, .skip { display: none; } article, li, figure { break-inside: avoid; } .wide { overflow: visible; } th, td { white-space: normal; } }
`;
