// The script of the report page: draws the plots beside their tables, and lets tables be sorted. It is bundled with
// uPlot into assets.ts, and runs in a browser only; without it the page lacks nothing but the plots and the sorting.

import uPlot from 'uplot';

/** Plots as report.ts writes them into the page. */
export interface PlotData {
  /** Id of the element that the plot goes into. */
  readonly target: string;
  readonly kind: 'lines' | 'bars';
  /** What x is: `bytes`, or the plural of what is counted. */
  readonly unit: string;
  /** Of each bucket: 0, then [2^(i-1), 2^i). */
  readonly series: readonly { readonly label: string; readonly values: readonly number[] }[];
}

const HEIGHT = 300;
const PRINT_WIDTH = 680;
const DASHES = [[], [10, 4], [2, 3], [10, 3, 2, 3], [16, 4], [5, 2]];

const edge = (bucket: number): number => (bucket === 0 ? 0 : 2 ** (bucket - 1));
const grouped = (value: number): string => String(value).replace(/\B(?=(?:\d{3})+$)/g, ',');
const PREFIXES = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi'];

/** An exact power of two, short. */
function short(value: number, unit: string): string {
  let step = 0;
  while (value >= 1024) {
    value /= 1024;
    step++;
  }
  return unit === 'bytes' ? `${value} ${PREFIXES[step]}B` : `${value}${PREFIXES[step]}`;
}

/** What a bucket holds. */
function range(bucket: number): string {
  const [from, to] = [edge(bucket), edge(bucket + 1) - 1];
  return from === to ? String(from) : `${grouped(from)} to ${grouped(to)}`;
}

function options(data: PlotData, width: number, length: number): uPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  const bars = uPlot.paths.bars!({ size: [1, Infinity], align: 1, gap: 2 });
  const steps = uPlot.paths.stepped!({ align: 1 });
  const rule = { stroke: color('line'), width: 1 };
  const axis = { stroke: color('ink'), grid: rule, ticks: rule, font: '12px system-ui, sans-serif' };
  const isBars = data.kind === 'bars';
  return {
    width,
    height: HEIGHT,
    cursor: {
      y: false,
      drag: { x: false, y: false },
      points: { show: false },
      // A bucket reaches from its edge to the next one: the nearest edge may be the wrong one.
      dataIdx: (_plot, _series, _nearest, x) => Math.max(0, Math.min(length - 1, Math.floor(x))),
    },
    scales: {
      x: { time: false, range: [0, length] },
      y: { range: (_plot, _least, most) => [0, Math.max(1, most * 1.05)] },
    },
    axes: [
      {
        ...axis,
        incrs: [1, 2, 4, 8, 16],
        space: 60,
        values: (_plot, ticks) => ticks.map((tick) => short(edge(tick), data.unit)),
      },
      {
        ...axis, size: 90, values: (_plot, ticks) => ticks.map((tick) => (Number.isInteger(tick) ? grouped(tick) : '')),
      },
    ],
    series: [
      { label: data.unit, value: (_plot, bucket) => (bucket == null || bucket >= length ? 'all' : range(bucket)) },
      ...data.series.map(({ label, values }, i): uPlot.Series => {
        const stroke = color(`c${(i % DASHES.length) + 1}`);
        const look = isBars ? { fill: stroke } : { dash: DASHES[i % DASHES.length]!, width: 2 };
        // Where nothing is pointed at, the legend has the sum.
        const sum = grouped(values.reduce((all, count) => all + count, 0));
        const value = (_plot: uPlot, count: number | null): string => (count === null ? sum : grouped(count));
        return { label, stroke, ...look, paths: isBars ? bars : steps, points: { show: false }, value };
      }),
    ],
  };
}

const drawn: uPlot[] = [];

function draw(plots: readonly PlotData[], printing = false): void {
  for (const plot of drawn.splice(0)) plot.destroy();
  for (const data of plots) {
    const target = document.getElementById(data.target);
    if (!target) continue;
    target.parentElement!.hidden = false;
    const length = Math.max(1, ...data.series.map(({ values }) => values.length));
    // Each value stands for the step from its edge to the next one.
    const edges = Array.from({ length: length + 1 }, (_, i) => i);
    const isEnd = (i: number): boolean => i === length && data.kind === 'bars';
    const rows = data.series.map(({ values }) => edges.map((i) => (isEnd(i) ? null : (values[i] ?? 0))));
    const width = printing ? PRINT_WIDTH : Math.max(280, target.clientWidth);
    drawn.push(new uPlot(options(data, width, length), [edges, ...rows], target));
  }
}

function readPlots(): PlotData[] {
  return JSON.parse(document.getElementById('plots')?.textContent ?? '[]') as PlotData[];
}

const valueOf = (row: HTMLTableRowElement, column: number): string | number => {
  const cell = row.cells[column];
  const value = cell?.dataset['value'];
  return value === undefined ? (cell?.textContent ?? '') : Number(value);
};

/** Sorts the rows of a table by a column; the second time the other way. Numbers begin with the largest. */
function sort(table: HTMLTableElement, column: number): void {
  const head = table.tHead!.rows[0]!.cells;
  const body = table.tBodies[0]!;
  const rows = [...body.rows];
  const isNumber = rows.some((row) => row.cells[column]?.dataset['value'] !== undefined);
  const before = head[column]!.getAttribute('aria-sort');
  const down = before === null ? isNumber : before === 'ascending';
  for (const cell of head) cell.removeAttribute('aria-sort');
  head[column]!.setAttribute('aria-sort', down ? 'descending' : 'ascending');
  const keyed = rows.map((row, i) => ({ row, i, value: valueOf(row, column) }));
  keyed.sort((a, b) => (a.value < b.value ? -1 : a.value > b.value ? 1 : 0) * (down ? -1 : 1) || a.i - b.i);
  body.append(...keyed.map(({ row }) => row));
}

function makeSortable(table: HTMLTableElement): void {
  [...table.tHead!.rows[0]!.cells].forEach((cell, column) => {
    if (cell.textContent === '') return;
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = cell.textContent;
    button.addEventListener('click', () => sort(table, column));
    cell.replaceChildren(button);
  });
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
