// The script of the report page: draws the plots beside their tables, and lets tables be sorted. It is bundled with
// uPlot into assets.ts, and runs in a browser only; without it the page lacks nothing but the plots and the sorting.

import { drawPlots, type PlotData } from './plots.ts';
import { makeSortable } from './sortable.ts';

function readPlots(): PlotData[] {
  return JSON.parse(document.getElementById('plots')?.textContent ?? '[]') as PlotData[];
}

let takeAway = (): void => {};

function draw(plots: readonly PlotData[], printing = false): void {
  takeAway();
  takeAway = drawPlots(plots, printing);
}

const plots = readPlots();
for (const table of document.querySelectorAll<HTMLTableElement>('table.sortable')) makeSortable(table);
draw(plots);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => draw(plots));
let waiting = 0;
addEventListener('resize', () => {
  clearTimeout(waiting);
  waiting = window.setTimeout(() => draw(plots), 150);
});
// Paper is white.
addEventListener('beforeprint', () => {
  document.documentElement.classList.add('paper');
  draw(plots, true);
});
addEventListener('afterprint', () => {
  document.documentElement.classList.remove('paper');
  draw(plots);
});
