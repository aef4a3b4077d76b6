// The style of report pages. Colours follow the reader's choice of light or dark, paper is light; those of series are
// told apart by the colour-blind too (Okabe and Ito), and by their dashes.

const LIGHT = `
  --ink: #1b1b1b; --page: #fff; --dim: #595959; --line: #d4d4d4; --own: #f3f5f8; --link: #0b57a4;
  --c1: #0072b2; --c2: #d55e00; --c3: #007a5a; --c4: #a8407c; --c5: #8a6100; --c6: #454545;
  --error: #a3170f; --warning: #8a4b00; --info: #2b5c8a;
`;

const DARK = `
  --ink: #e8e8e8; --page: #161616; --dim: #a8a8a8; --line: #3c3c3c; --own: #202328; --link: #8ab8f0;
  --c1: #56b4e9; --c2: #f28e3c; --c3: #2fc79b; --c4: #e291c2; --c5: #f0e442; --c6: #c0c0c0;
  --error: #ff8a80; --warning: #f0b060; --info: #8ab8f0;
`;

export const STYLE = `
:root { color-scheme: light dark; ${LIGHT}}
@media (prefers-color-scheme: dark) { :root { ${DARK}} }
@media print { :root { color-scheme: light; ${LIGHT}} }
:root.paper { color-scheme: light; ${LIGHT}}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 72rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.5rem; }
h2 { font-size: 1.2rem; margin: 2.5rem 0 .5rem; }
h3 { font-size: 1rem; margin: 1.5rem 0 .5rem; }
a { color: var(--link); }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: 0; padding: 0; list-style: none; }
.tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(9.5rem, 1fr)); gap: .75rem; margin: 1rem 0; }
.tiles div { padding: .6rem .8rem; background: var(--own); border: 1px solid var(--line); border-radius: .4rem; }
.tiles dt { color: var(--dim); font-size: .85rem; }
.tiles dd { margin: 0; font-size: 1.25rem; font-weight: 600; font-variant-numeric: tabular-nums; }
.tiles dd small { display: block; font-size: .8rem; font-weight: normal; color: var(--dim); }
.tiles .error dd { color: var(--error); }
.tiles .warning dd { color: var(--warning); }
.note { color: var(--dim); max-width: 50rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; margin: .5rem 0; font-size: .9rem; }
caption { text-align: left; color: var(--dim); padding-bottom: .25rem; }
th, td { padding: .25rem .6rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
h1 bdi, .note bdi { overflow-wrap: anywhere; }
table bdi { display: inline-block; max-width: min(32rem, 70vw); overflow-wrap: break-word; }
.rule bdi { max-width: none; white-space: nowrap; }
th { font-weight: 600; }
tbody th { font-weight: normal; }
td.words { min-width: 12rem; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
th button { all: unset; cursor: pointer; }
th button:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
th button::after { content: " \\2195"; color: var(--dim); }
th[aria-sort="ascending"] button::after { content: " \\2191"; }
th[aria-sort="descending"] button::after { content: " \\2193"; }
.bar { display: block; width: clamp(3rem, 8vw, 8rem); height: .8rem; margin-top: .3rem; fill: var(--c1); }
.bar { print-color-adjust: exact; }
.severity { font-weight: 600; }
.severity.error { color: var(--error); }
.severity.warning { color: var(--warning); }
.severity.info { color: var(--info); }
code { font-family: ui-monospace, monospace; font-size: .95em; }
details { margin: .5rem 0; }
summary { cursor: pointer; }
figure { margin: .5rem 0; }
figcaption { color: var(--dim); font-size: .9rem; }
.plot .u-legend { color: var(--ink); text-align: left; margin: 0; }
.plot .u-legend :is(th, td) { border: 0; }
.plot .u-legend .u-value { font-variant-numeric: tabular-nums; }
@media (max-width: 40rem) {
  th, td { padding: .25rem .4rem; }
}
@media print {
  main { max-width: none; padding: 0; }
  table { font-size: .75rem; }
  .bar { width: 5rem; }
  nav, th button::after { display: none; }
  h2, h3, caption { break-after: avoid; }
  tr, figure, .tiles div { break-inside: avoid; }
  .wide { overflow: visible; }
}
`;
