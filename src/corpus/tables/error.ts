// What goes wrong with tables.

/** What does not fit into a table. */
export class TableError extends Error {
  override readonly name = 'TableError';
  readonly reason: string;
  readonly remedy: string;

  constructor(reason: string, remedy: string) {
    super(`${reason}; ${remedy}`);
    this.reason = reason;
    this.remedy = remedy;
  }
}
