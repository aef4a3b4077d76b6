// Tool definitions as JSON in text: 0.1's list behind `<|function_list|>` (0.1 extended §8.1), and the lists in a
// developer message of 2.0 (§8.2).

import type { ToolDefinition } from '../model/data.ts';
import { isBlank, isObject, own, parseJson, skipBlanks, spanOfJson } from './json.ts';
import { isTool, toolsToOpenAI, toolsOfValues } from './records.ts';
import { MOST_DEPTH, MOST_TEXT, MOST_TOOLS, type ToolProblem, type ToolsInText } from './types.ts';

const NOTHING: ToolsInText = { tools: [], problems: [], from: 0, to: 0, isClean: true };
/** Levels of a definition around its schema: list, tool, function. */
const AROUND = 3;
/**
 * Places of a text that look like JSON and are none; behind them it is not searched, so that searching stays linear.
 */
const MOST_MISSES = 64;

/**
 * The definitions right behind the token: objects with white space or commas between, or an array. What follows is
 * prose.
 */
export function readFunctionList(text: string): ToolsInText {
  if (text.length > MOST_TEXT) return tooLong(text);
  const found = new Found(text);
  for (let at = skipBlanks(text, 0); opens(text, at); ) {
    const value = jsonAt(text, at);
    if (!value) {
      found.miss('syntax', at, lineEnd(text, at));
      break;
    }
    if (!found.add(value, at)) break;
    at = skipBlanks(text, value.to);
    if (text[at] === ',') at = skipBlanks(text, at + 1);
  }
  return found.result();
}

/**
 * The definitions of JSON objects and arrays anywhere in the text, each at the start of a line: bare, or in a fenced
 * block.
 */
export function readToolList(text: string): ToolsInText {
  if (text.length > MOST_TEXT) return text.includes('"name"') ? tooLong(text) : NOTHING;
  const found = new Found(text);
  let misses = 0;
  for (let at = skipBlanks(text, 0); at < text.length; at = nextLine(text, at)) {
    // Several objects may stand on one line, or follow the end of the last one.
    while (opens(text, at)) {
      const value = jsonAt(text, at);
      if (!value || !found.add(value, at)) {
        if (++misses > MOST_MISSES) return found.result('too-many', at);
        break;
      }
      at = skipBlanks(text, value.to);
      if (text[at] === ',') at = skipBlanks(text, at + 1);
    }
  }
  return found.result();
}

/** One object a line, without a line end at the end. */
export function writeFunctionList(tools: readonly ToolDefinition[]): string {
  return toolsToOpenAI(tools).map((tool) => JSON.stringify(tool)).join('\n');
}

/** An array, indented. */
export function writeToolList(tools: readonly ToolDefinition[]): string {
  return JSON.stringify(toolsToOpenAI(tools), null, 2);
}

interface JsonValue {
  readonly value: unknown;
  readonly to: number;
  readonly isDeep: boolean;
}

/** The object or array that begins at `from`; null: it does not end, or is no JSON. */
function jsonAt(text: string, from: number): JsonValue | null {
  const span = spanOfJson(text, from);
  if (!span) return null;
  const value = parseJson(text.slice(from, span.to));
  return value === undefined ? null : { value, to: span.to, isDeep: span.depth > MOST_DEPTH + AROUND };
}

/** What was found so far, and the part of the text it takes. */
class Found {
  readonly #text: string;
  readonly #tools: ToolDefinition[] = [];
  readonly #problems: ToolProblem[] = [];
  #from = -1;
  #to = 0;
  #isClean = true;
  #hasOtherType = false;

  constructor(text: string) {
    this.#text = text;
  }

  /** Takes the tools of a value; false: it holds none. */
  add({ value, to, isDeep }: JsonValue, from: number): boolean {
    const values: unknown[] = Array.isArray(value) ? value : [value];
    if (values.some(isOfOtherType)) this.#hasOtherType = true;
    if (!values.some(isTool)) return false;
    if (isDeep) {
      this.miss('too-deep', from, to);
    } else {
      const { tools, problems } = toolsOfValues(values, () => 'syntax');
      for (const tool of tools) {
        if (this.#tools.length < MOST_TOOLS) this.#tools.push(tool);
        else this.#problems.push({ reason: 'too-many', from, to });
      }
      for (const { reason } of problems) this.#problems.push({ reason, from, to });
      this.#extend(from, to);
    }
    return true;
  }

  miss(reason: ToolProblem['reason'], from: number, to: number): void {
    this.#problems.push({ reason, from, to });
    this.#extend(from, to);
  }

  result(reason?: ToolProblem['reason'], at = 0): ToolsInText {
    if (reason !== undefined) this.#problems.push({ reason, from: at, to: this.#text.length });
    const { from, to } = this.#fenced(Math.max(this.#from, 0), this.#to);
    return {
      tools: this.#tools, problems: this.#problems, from, to, isClean: this.#isClean && this.#problems.length === 0,
      ...(this.#hasOtherType && { hasOtherType: true }),
    };
  }

  #extend(from: number, to: number): void {
    if (this.#from < 0) this.#from = from;
    else if (!/^[\s,]*$/.test(this.#text.slice(this.#to, from))) this.#isClean = false;
    this.#to = to;
  }

  /** With the fence around it, when the list fills a fenced block. */
  #fenced(from: number, to: number): { from: number; to: number } {
    const before = this.#text.slice(Math.max(0, from - 64), from);
    const open = before.lastIndexOf('```');
    const close = skipBlanks(this.#text, to);
    const isFence = open >= 0 && FENCE.has(before.slice(open + 3).trim()) && this.#text.startsWith('```', close);
    return isFence && to > 0 ? { from: from - before.length + open, to: close + 3 } : { from, to };
  }
}

function isOfOtherType(value: unknown): boolean {
  const type = isObject(value) ? own(value, 'type') : undefined;
  return type !== undefined && type !== 'function';
}

const FENCE: ReadonlySet<string> = new Set(['', 'json', 'jsonc', 'json5']);

function opens(text: string, at: number): boolean {
  return text[at] === '{' || text[at] === '[';
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

/** The first character of the next line that has any but white space. */
function nextLine(text: string, at: number): number {
  let next = lineEnd(text, at);
  while (next < text.length && isBlank(text.charCodeAt(next))) next++;
  return next;
}

function tooLong(text: string): ToolsInText {
  return {
    tools: [], problems: [{ reason: 'too-long', from: 0, to: text.length }], from: 0, to: text.length, isClean: false,
  };
}
