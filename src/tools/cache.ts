// Compiled tools, kept: the transcripts of a corpus define the same tools again and again.

import type { ToolDefinition } from '../model/data.ts';
import { type CompiledTool, compileTool } from './compile.ts';
import { isBounded } from './json.ts';
import { type Budget, SCHEMA_LIMITS, type SchemaLimits } from './schema-limits.ts';

const MOST_ENTRIES = 1024;
/** UTF-16 units of all keys. */
const MOST_TEXT = 16 * 1024 * 1024;
/** What the compiled patterns of all entries may take: about as many bytes. */
const MOST_PATTERNS = 32 * 1024 * 1024;
/** Bytes that an instruction of a compiled pattern takes. */
const PATTERN_BYTES = 200;

interface Entry {
  readonly text: string;
  /** It may hold patterns. */
  readonly hasPatterns: boolean;
  /** Null: it had to make room. */
  compiled: CompiledTool | null;
}

/** Knows a definition again, as an object or by what it says. What was not asked for the longest goes first. */
export class ToolCache {
  readonly #limits: Partial<SchemaLimits>;
  readonly #budget: Budget | null;
  /** By object; what is too large to be an entry stays as long as its definition. */
  readonly #byObject = new WeakMap<ToolDefinition, Entry | CompiledTool>();
  readonly #byText = new Map<string, Entry>();
  #length = 0;
  #patterns = 0;

  constructor(limits: Partial<SchemaLimits> = {}, budget: Budget | null = null) {
    this.#limits = limits;
    this.#budget = budget;
  }

  get size(): number {
    return this.#byText.size;
  }

  /** Compiled, or null: its patterns are beyond the budget. */
  find(definition: ToolDefinition): CompiledTool | null {
    const known = this.#byObject.get(definition) ?? this.#enter(definition);
    if (!('text' in known)) return known;
    const budget = known.hasPatterns ? this.#budget : null;
    if (budget !== null && !budget.mayUse(this, known.text)) return null;
    const compiled = this.#compiled(definition, known);
    budget?.use(this, known.text, compiled.patternCost);
    return compiled;
  }

  /** Compiled, whatever the budget. */
  get(definition: ToolDefinition): CompiledTool {
    return this.find(definition) ?? compileTool(definition, this.#limits);
  }

  #enter(definition: ToolDefinition): Entry | CompiledTool {
    const { namespace, name, description, parameters } = definition;
    const { bytes, depth } = { ...SCHEMA_LIMITS, ...this.#limits };
    let known: Entry | CompiledTool | undefined;
    if (!isBounded(parameters ?? null, bytes, depth)) known = compileTool(definition, this.#limits);
    else {
      const text = JSON.stringify([namespace, name, description ?? null, parameters ?? null]);
      known = this.#byText.get(text) ?? { text, hasPatterns: text.includes('"pattern'), compiled: null };
    }
    this.#byObject.set(definition, known);
    return known;
  }

  /** What was not asked for the longest makes room. */
  #compiled(definition: ToolDefinition, entry: Entry): CompiledTool {
    // Another entry may have the same text: it was made when this one had made room.
    const kept = this.#byText.get(entry.text);
    if (kept !== undefined) {
      this.#byText.delete(entry.text);
      this.#byText.set(entry.text, kept);
      return kept.compiled!;
    }
    const compiled = compileTool(definition, this.#limits, this.#budget);
    entry.compiled = compiled;
    this.#byText.set(entry.text, entry);
    this.#length += entry.text.length;
    this.#patterns += compiled.patternSize * PATTERN_BYTES;
    for (const oldest of this.#byText.values()) {
      if (this.#byText.size <= MOST_ENTRIES && this.#length <= MOST_TEXT && this.#patterns <= MOST_PATTERNS) break;
      this.#byText.delete(oldest.text);
      this.#length -= oldest.text.length;
      this.#patterns -= oldest.compiled!.patternSize * PATTERN_BYTES;
      oldest.compiled = null;
    }
    return compiled;
  }
}
