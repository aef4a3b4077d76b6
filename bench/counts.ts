// What is in a corpus: the numbers that its generator knows and that every contender's answer is compared with.

export interface Counts {
  bytes: number;
  transcripts: number;
  messages: number;
  /** Messages to a tool. */
  calls: number;
  /** Messages by role; one without a role is in none of them. `functions.x` and `x to=assistant` are `tool`. */
  roles: Record<string, number>;
  /** Messages by effective channel: `final` where no channel is written. */
  channels: Record<string, number>;
  /** Messages without a channel field. */
  unchanneled: number;
  ends: Record<string, number>;
  /** Control tokens of the dialect by name, without those in document headers, literal blocks and escapes. */
  tokens: Record<string, number>;
  /** Every place where the bytes of a control token stand, whatever they mean there. */
  textual: Record<string, number>;
  /** All of `textual` together, and those of the token that opens a message: what a search for text finds. */
  occurrences: number;
  openers: number;
  literals: number;
  escapes: number;
  /** Thought markers in 2.2 bodies, which are no tokens there. */
  marks: Record<string, number>;
}

/** A contender answers with the counts that it knows. */
export type Answer = Partial<Counts>;

export function emptyCounts(): Counts {
  return {
    bytes: 0,
    transcripts: 0,
    messages: 0,
    calls: 0,
    roles: {},
    channels: {},
    unchanneled: 0,
    ends: {},
    tokens: {},
    textual: {},
    occurrences: 0,
    openers: 0,
    literals: 0,
    escapes: 0,
    marks: {},
  };
}

export function bump(record: Record<string, number>, key: string, by = 1): void {
  record[key] = (record[key] ?? 0) + by;
}

export function bumpAll(record: Record<string, number>, by: Readonly<Record<string, number>>, times = 1): void {
  for (const key of Object.keys(by)) bump(record, key, (by[key] as number) * times);
}

export function sum(record: Readonly<Record<string, number>>): number {
  return Object.values(record).reduce((a, b) => a + b, 0);
}

/** What an answer says otherwise than the right counts, one line each; names that are missing count as 0. */
export function differences(answer: Answer, right: Counts): string[] {
  const lines: string[] = [];
  const compare = (name: string, got: number, want: number): void => {
    if (got !== want) lines.push(`${name} ${got}, not ${want}`);
  };
  for (const key of Object.keys(answer) as (keyof Counts)[]) {
    const got = answer[key];
    const want = right[key];
    if (typeof got === 'number') compare(key, got, want as number);
    if (typeof got !== 'object') continue;
    const wanted = want as Record<string, number>;
    for (const name of new Set([...Object.keys(got), ...Object.keys(wanted)])) {
      compare(`${key}.${name}`, got[name] ?? 0, wanted[name] ?? 0);
    }
  }
  return lines;
}
