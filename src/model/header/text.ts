// What the text of a document header says, whoever reads it.

import type { RuleName } from '../../errors.ts';

/** A value of a document header: JSON, with every mapping an object without a prototype. */
export type HeaderValue = string | number | boolean | null | HeaderValue[] | { [key: string]: HeaderValue };

/** What the text of a header says. */
export interface HeaderText {
  /** As it is written: 2.10 is not 2.1. Null: there is none. Empty: there is one, but no scalar. */
  readonly version: string | null;
  /** Null-prototype objects; the version as it is written. */
  readonly fields: { [key: string]: HeaderValue };
  readonly problems: RuleName[];
}

/** Reads a header that is more than the usual YAML: what it says, or the rule that it breaks. */
export type ReadYaml = (text: string) => HeaderText | RuleName;
