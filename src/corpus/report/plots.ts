// The plots of report pages, drawn by uPlot into elements of the page. Runs in browsers only.

import uPlot from 'uplot';
import { sizeText } from '../size-text.ts';

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

/** A number on the axis, short. */
const short = (value: number, unit: string): string =>
  (unit === 'bytes' ? sizeText(value).replace(/ bytes?$/, ' B') : grouped(value));

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

/** Draws plots into the elements of the page that they name; answers what takes them away. */
export function drawPlots(plots: readonly PlotData[], printing = false): () => void {
  const drawn: uPlot[] = [];
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
  return () => drawn.forEach((plot) => plot.destroy());
}
