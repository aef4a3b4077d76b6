// Tables of report pages that are sorted by the column whose title is chosen. Runs in browsers only.

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

/** The titles of its columns become buttons. */
export function makeSortable(table: HTMLTableElement): void {
  [...table.tHead!.rows[0]!.cells].forEach((cell, column) => {
    if (cell.textContent === '') return;
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = cell.textContent;
    button.addEventListener('click', () => sort(table, column));
    cell.replaceChildren(button);
  });
}
