// What the readers and writers of tool definitions give, and the bounds they keep.

import type { ToolDefinition } from '../model/data.ts';

/**
 * Why a definition was not read or written; `field`: it was, but a field without a place in `ToolDefinition` was left
 * out.
 */
export type ToolProblemReason = 'syntax' | 'name' | 'field' | 'unclosed' | 'too-long' | 'too-many' | 'too-deep';

/**
 * A definition that is missing. Positions are UTF-16 units of the text; for a list of values the number of the tool and
 * that + 1.
 */
export interface ToolProblem {
  readonly reason: ToolProblemReason;
  readonly from: number;
  readonly to: number;
}

/** Definitions that were read, and what was not understood. */
export interface ToolsRead {
  readonly tools: readonly ToolDefinition[];
  readonly problems: readonly ToolProblem[];
  /** An object where definitions stand says that it is something else than a function (0.1 extended §8.1). */
  readonly hasOtherType?: boolean;
}

/** Tools in a text, and the part of it that holds them; 0 and 0 when nothing does. */
export interface ToolsInText extends ToolsRead {
  readonly from: number;
  readonly to: number;
  /** Only tools, all of them read, stand between `from` and `to`: cutting the part out loses nothing. */
  readonly isClean: boolean;
}

/** Definitions as text, and what the text has no place for. */
export interface ToolsWritten {
  readonly text: string;
  /** JSON pointers into the tools given: what reading the text does not give back, or gives back in another shape. */
  readonly losses: readonly string[];
  /** Tools that are not in the text. A caller that may lose none refuses. */
  readonly problems: readonly ToolProblem[];
}

/** UTF-16 units of one message's text. */
export const MOST_TEXT = 1 << 20;
export const MOST_TOOLS = 1024;
/** Nesting of types, of JSON values, of schemas. */
export const MOST_DEPTH = 64;
/** JSON values of one schema that is written. */
export const MOST_VALUES = 50_000;

/** The namespace of a developer's tools. */
export const FUNCTIONS = 'functions';

const NAME = /^[A-Za-z0-9_.-]+$/;

/** Whether a tool or namespace may be called so: nothing that could end a line, a declaration or a header value. */
export function isToolName(name: string): boolean {
  return name.length <= 256 && NAME.test(name);
}
