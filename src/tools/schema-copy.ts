// What the copy of a schema is made of, which the validator reads.

/** A schema of the copy. */
export interface SchemaNode {
  readonly [keyword: string]: unknown;
}

/** What lies below a node: applied to the same value, and to a part of it. */
export interface Edges {
  readonly same: SchemaNode[];
  readonly part: SchemaNode[];
}
