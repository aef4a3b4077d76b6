// Pieces of the report page. All text that may come from data goes through `text`, and nothing else writes it into the
// page.

import { escapeHtml, escapeLine } from '../../printable.ts';
import { sizeText } from '../size-text.ts';

/** UTF-16 units of a name or a path in the page. */
const LONGEST = 500;

/** Text of one line that means nothing in HTML and steers nothing: its direction of writing ends with it. */
export function text(value: string): string {
  const cut = value.length > LONGEST ? `${value.slice(0, LONGEST - 3)}...` : value;
  return `<bdi>${escapeHtml(escapeLine(cut))}</bdi>`;
}

/** An integer with its digits in groups. */
export function number(value: number): string {
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** A share of a whole; nothing of nothing. */
export function percent(part: number, whole: number): string {
  return whole === 0 ? '' : `${((100 * part) / whole).toFixed(1)} %`;
}

export interface Cell {
  readonly html: string;
  /** What the column is sorted by, where that is a number. */
  readonly value?: number;
}

export const textCell = (value: string): Cell => ({ html: text(value) });
export const numberCell = (value: number): Cell => ({ html: number(value), value });
export const bytesCell = (value: number): Cell => ({ html: sizeText(value), value });
export const percentCell = (part: number, whole: number): Cell =>
  ({ html: percent(part, whole), value: whole === 0 ? 0 : part / whole });

/** A bar as long as its share of the most. The number stands in another cell. */
export function barCell(value: number, most: number): Cell {
  const width = most === 0 ? 0 : Math.round((1000 * value) / most) / 10;
  const rect = `<rect width="${width}" height="10"/>`;
  const html = `<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">${rect}</svg>`;
  return { html, value };
}

export interface Column {
  readonly title: string;
  /** Numbers stand at the right; sentences have room for some words. */
  readonly look?: 'number' | 'words';
}

export const column = (title: string): Column => ({ title });
export const numberColumn = (title: string): Column => ({ title, look: 'number' });
export const wordsColumn = (title: string): Column => ({ title, look: 'words' });

export interface TableOptions {
  readonly sortable?: boolean;
  /** What the table is of, for those who do not see the heading above it. */
  readonly caption: string;
}

/** A table whose rows begin with their names. Titles are the page's own words; columns of bars have none. */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  { sortable = false, caption }: TableOptions,
): string {
  const head = columns.map(({ title, look }) => {
    return title === '' ? '<td></td>' : `<th scope="col"${classOf(look)}>${title}</th>`;
  }).join('');
  const row = (cells: readonly Cell[]): string =>
    cells.map((cell, i) => tableCell(cell, columns[i]!, i === 0)).join('');
  const body = rows.map((cells) => `<tr>${row(cells)}</tr>\n`).join('');
  return `<div class="wide"><table${sortable ? ' class="sortable"' : ''}><caption>${caption}</caption>
<thead><tr>${head}</tr></thead>
<tbody>
${body}</tbody></table></div>
`;
}

const classOf = (look: Column['look']): string => (look === undefined ? '' : ` class="${look}"`);

function tableCell({ html, value }: Cell, column: Column, isFirst: boolean): string {
  const data = value === undefined ? '' : ` data-value="${value}"`;
  const look = classOf(column.look);
  return isFirst ? `<th scope="row"${look}${data}>${html}</th>` : `<td${look}${data}>${html}</td>`;
}

/** JSON inside a script element: nothing in it ends the element or opens a comment. */
export function dataBlock(id: string, value: unknown): string {
  const escape = (found: string): string => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const json = JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, escape);
  return `<script type="application/json" id="${id}">${json}</script>\n`;
}
