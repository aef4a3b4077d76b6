// The sections of the report page about what a corpus holds: messages, lengths, transcripts, calls. Each has its table;
// the data of plots, which a script adds, are given apart.

import type { PlotData } from './plots.ts';
import {
  barCell, bytesCell, type Cell, column, number, numberCell, numberColumn, percent, percentCell, table, text,
  textCell,
} from './html.ts';
import { sizeText } from '../size-text.ts';
import { addSpreads, allCalls, bodiesByRole, quantile, reasonsOf, total } from './totals.ts';
import type { CellJson, SpreadJson, StatisticsJson } from './statistics-json.ts';

export interface Section {
  /** Of the element; the page's own word. */
  readonly id: string;
  readonly title: string;
  readonly html: string;
  readonly plots?: readonly PlotData[];
}

/** Tools that are listed. */
const MOST_TOOLS = 1000;

const nameOf = (role: string | null): Cell => (role === null ? { html: '(none)' } : textCell(role));

export function messagesSection({ messages: { pairs, other, ends }, content_types: types }: StatisticsJson): Section {
  const all = total([...pairs, other].map(({ bodies }) => bodies.count));
  const most = Math.max(0, ...pairs.map(({ bodies }) => bodies.count));
  const row = (role: Cell, channel: Cell, { bodies, visible }: CellJson): Cell[] => [
    role, channel, numberCell(bodies.count), percentCell(bodies.count, all), barCell(bodies.count, most),
    bytesCell(bodies.sum), percentCell(bodies.count - visible.messages, bodies.count),
  ];
  const rows = pairs.map((pair) => row(nameOf(pair.role), textCell(pair.channel), pair));
  if (other.bodies.count > 0) rows.push(row({ html: 'others' }, { html: 'others' }, other));
  const columns = [
    column('Role'), column('Channel'), numberColumn('Messages'), numberColumn('Share'), column(''),
    numberColumn('Bytes of bodies'), numberColumn('Hidden'),
  ];
  const shown = total([...pairs, other].map(({ visible }) => visible.messages));
  const shownBytes = total([...pairs, other].map(({ visible }) => visible.bytes));
  const allBytes = total([...pairs, other].map(({ bodies }) => bodies.sum));
  const hidden = `<p>${number(all - shown)} of ${number(all)} messages (${percent(all - shown, all) || 'none'}) and
${sizeText(allBytes - shownBytes)} of ${sizeText(allBytes)} of bodies are hidden from end users.
A message without a channel counts as final.</p>\n`;
  const endRows = ENDS.filter(({ end }) => ends[end] > 0)
    .map(({ end, words }) => [{ html: words }, numberCell(ends[end]), percentCell(ends[end], all)]);
  const typeRows = types.names.map(({ name, count }) => [textCell(name), numberCell(count)]).sort(byNumber(1));
  if (types.other > 0) typeRows.push([{ html: 'others' }, numberCell(types.other)]);
  let html = hidden + table(columns, rows, { sortable: true, caption: 'Messages by role and channel' });
  html += table([column('End'), numberColumn('Messages'), numberColumn('Share')], endRows, {
    caption: 'How messages end',
  });
  if (typeRows.length > 0) {
    const caption = 'Content types that headers name';
    html += table([column('Content type'), numberColumn('Messages')], typeRows, { sortable: true, caption });
  }
  return { id: 'messages', title: 'Messages by role and channel', html };
}

const ENDS = [
  { end: 'end', words: 'with an end token' },
  { end: 'call', words: 'as a call' },
  { end: 'return', words: 'as the last one of a reply' },
  { end: 'implicit', words: 'at the next start token' },
  { end: 'eof', words: 'at the end of input' },
] as const;

const byNumber = (index: number) =>
  (a: readonly Cell[], b: readonly Cell[]): number => b[index]!.value! - a[index]!.value!;

interface NamedSpread {
  /** The page's own word. */
  readonly name: string;
  readonly spread: SpreadJson;
}

type Show = (value: number) => Cell;

const SPREAD_COLUMNS = ['Number', 'Sum', 'Mean', 'Least', 'Half are up to', '99 % are up to', 'Most'].map(numberColumn);

function spreadTable(first: string, spreads: readonly NamedSpread[], show: Show, caption: string): string {
  const columns = [column(first), ...SPREAD_COLUMNS];
  const rows = spreads.map(({ name, spread }) => [
    { html: name }, numberCell(spread.count), show(spread.sum),
    show(spread.count ? Math.round(spread.sum / spread.count) : 0),
    show(spread.min ?? 0), show(quantile(spread, 0.5)), show(quantile(spread, 0.99)), show(spread.max ?? 0),
  ]);
  return table(columns, rows, { caption });
}

/** The numbers of a plot. */
function buckets(unit: string, series: PlotData['series'], caption: string): string {
  const length = Math.max(0, ...series.map(({ values }) => values.length));
  const rows: Cell[][] = [];
  for (let i = 0; i < length; i++) {
    const [from, to] = [i === 0 ? 0 : 2 ** (i - 1), i === 0 ? 0 : 2 ** i - 1];
    const html = from === to ? number(from) : `${number(from)} to ${number(to)}`;
    rows.push([{ html, value: from }, ...series.map(({ values }) => numberCell(values[i] ?? 0))]);
  }
  const columns = [numberColumn(unit), ...series.map(({ label }) => numberColumn(label))];
  return `<details><summary>The numbers</summary>\n${table(columns, rows, { caption })}</details>\n`;
}

/** Seen when there is a plot in it. */
const figure = (target: string, caption: string): string =>
  `<figure hidden><div class="plot" id="${target}"></div><figcaption>${caption}</figcaption></figure>\n`;

export function lengthsSection(statistics: StatisticsJson): Section {
  const roles = bodiesByRole(statistics);
  const spreads = roles.map(({ role, bodies }) => ({ name: role, spread: bodies }));
  const series = roles.map(({ role, bodies }) => ({ label: role, values: bodies.log2 }));
  const caption =
    'Messages by the length of their body, on a logarithmic axis: each step is twice as wide as the one before.';
  const html = figure('plot-lengths', caption)
    + spreadTable('Role', spreads, bytesCell, 'Bytes of a body by role. Half and 99 % are known up to a power of two.')
    + buckets('Bytes', series, 'Messages by bytes of their body');
  const plot = { target: 'plot-lengths', kind: 'lines', unit: 'bytes', series } as const;
  return { id: 'lengths', title: 'Lengths of bodies', html, plots: [plot] };
}

export function transcriptsSection({ transcripts }: StatisticsJson): Section {
  const dialects = Object.entries(transcripts.dialects).filter(([, count]) => count > 0);
  const most = Math.max(0, ...dialects.map(([, count]) => count));
  const all = transcripts.messages.count;
  const rows = dialects.map(([id, count]) => {
    return [textCell(id), numberCell(count), percentCell(count, all), barCell(count, most)];
  });
  const messages = [{ label: 'transcripts', values: transcripts.messages.log2 }];
  const sizes = [{ label: 'transcripts', values: transcripts.bytes.log2 }];
  const columns = [column('Dialect'), numberColumn('Transcripts'), numberColumn('Share'), column('')];
  const html = table(columns, rows, { caption: 'Transcripts by dialect' })
    + `<h3>Messages in a transcript</h3>\n`
    + `${figure('plot-messages', 'Transcripts by the number of their messages, on a logarithmic axis.')}`
    + spreadTable('Of', [{ name: 'transcripts', spread: transcripts.messages }], numberCell, 'Messages in a transcript')
    + buckets('Messages', messages, 'Transcripts by their number of messages')
    + `<h3>Bytes of a transcript</h3>\n${figure('plot-bytes', 'Transcripts by their bytes, on a logarithmic axis.')}`
    + spreadTable('Of', [{ name: 'transcripts', spread: transcripts.bytes }], bytesCell, 'Bytes of a transcript')
    + buckets('Bytes', sizes, 'Transcripts by their bytes');
  return {
    id: 'transcripts', title: 'Transcripts', html,
    plots: [
      { target: 'plot-messages', kind: 'bars', unit: 'messages', series: messages },
      { target: 'plot-bytes', kind: 'bars', unit: 'bytes', series: sizes },
    ],
  };
}

export function callsSection(statistics: StatisticsJson): Section {
  const { tools, other, several } = statistics.calls;
  const all = allCalls(statistics);
  const [calls, failing] = [total(all.map((sum) => sum.calls)), total(all.map((sum) => sum.failing))];
  const sorted = tools.toSorted((a, b) => b.calls - a.calls || (a.name < b.name ? -1 : 1));
  const rest = sorted.slice(MOST_TOOLS);
  const most = sorted[0]?.calls ?? 0;
  const row = (name: Cell, sum: { calls: number; failing: number }): Cell[] =>
    [
      name, numberCell(sum.calls), barCell(sum.calls, most), numberCell(sum.failing),
      percentCell(sum.failing, sum.calls),
    ];
  const rows = sorted.slice(0, MOST_TOOLS).map((tool) => row(textCell(tool.name), tool));
  const left = [...rest, other];
  const beyond = { calls: total(left.map((sum) => sum.calls)), failing: total(left.map((sum) => sum.failing)) };
  if (beyond.calls > 0) rows.push(row({ html: 'others' }, beyond));
  let html = `<p>${number(calls)} calls, ${number(statistics.replies)} replies.
${number(failing)} calls have an error${calls ? ` (${percent(failing, calls)})` : ''}.</p>\n`;
  if (rows.length > 0) {
    const columns = [
      column('Tool'), numberColumn('Calls'), column(''), numberColumn('With an error'), numberColumn('Share'),
    ];
    html += table(columns, rows, { sortable: true, caption: 'Calls by tool' });
  }
  if (several.failing > 0) {
    html += `<p class="note">${number(several.failing)} messages that call several tools have an error,
which is counted for none of them.</p>\n`;
  }
  const reasons = reasonsOf(statistics);
  if (reasons.length > 0) {
    const worst = reasons[0]!.count;
    const lines = reasons.map(({ rule, count }) => [
      { html: `<code class="rule">${text(rule)}</code>` }, numberCell(count), percentCell(count, failing),
      barCell(count, worst),
    ]);
    const columns = [column('Rule'), numberColumn('Calls'), numberColumn('Of those with an error'), column('')];
    html += table(columns, lines, { caption: 'Calls with an error by rule; one call may break several' });
  }
  return { id: 'calls', title: 'Calls', html };
}

/** For tiles: all calls. */
export function callSums(statistics: StatisticsJson): { readonly calls: number; readonly failing: number } {
  const all = allCalls(statistics);
  return { calls: total(all.map(({ calls }) => calls)), failing: total(all.map(({ failing }) => failing)) };
}

/** All bodies. */
export const allBodies = ({ messages: { pairs, other } }: StatisticsJson): SpreadJson =>
  addSpreads([...pairs, other].map(({ bodies }) => bodies));
