// Compiled tools, kept: the transcripts of a corpus define the same tools again and again.

import type { ToolDefinition } from '../model/data.ts';
import { type CompiledTool, compileTool } from './compile.ts';
import { isBounded } from './json.ts';
import { type Budget, SCHEMA_LIMITS, type SchemaLimits, UNBOUNDED } from './schema-limits.ts';

const MOST_ENTRIES = 1024;
/** UTF-16 units of all keys. */
const MOST_TEXT = 16 * 1024 * 1024;
/** What the compiled patterns of all entries may take: about as many bytes. */
const MOST_PATTERNS = 32 * 1024 * 1024;
/** Bytes that an instruction of a compiled pattern takes. */
const PATTERN_BYTES = 200;

interface Entry {
  readonly text: string;
  /** Null: it had to make room. */
  compiled: CompiledTool | null;
}

/** Knows a definition again, as an object or by what it says. What was not asked for the longest goes first. */
export class ToolCache {
  readonly #limits: Partial<SchemaLimits>;
  readonly #budget: Budget;
  /** By object; what is too large to be an entry stays as long as its definition. */
  readonly #byObject = new WeakMap<ToolDefinition, Entry | CompiledTool>();
  readonly #byText = new Map<string, Entry>();
  #length = 0;
  #patterns = 0;

  constructor(limits: Partial<SchemaLimits> = {}, budget: Budget = UNBOUNDED) {
    this.#limits = limits;
    this.#budget = budget;
  }

  get size(): number {
    return this.#byText.size;
  }

  /** Compiled, or null: it is not known, and nothing more is compiled within the budget. */
  find(definition: ToolDefinition): CompiledTool | null {
    const known = this.#byObject.get(definition);
    if (known === undefined) return this.#enter(definition);
    if (!('text' in known)) return known;
    if (known.compiled === null) return this.#compile(definition, known);
    this.#touch(known);
    return known.compiled;
  }

  #touch(entry: Entry): void {
    this.#byText.delete(entry.text);
    this.#byText.set(entry.text, entry);
  }

  /** Compiled, whatever the budget. */
  get(definition: ToolDefinition): CompiledTool {
    return this.find(definition) ?? compileTool(definition, this.#limits);
  }

  #enter(definition: ToolDefinition): CompiledTool | null {
    const { namespace, name, description, parameters } = definition;
    const { bytes, depth } = { ...SCHEMA_LIMITS, ...this.#limits };
    if (!isBounded(parameters ?? null, bytes, depth)) {
      const refused = compileTool(definition, this.#limits);
      this.#byObject.set(definition, refused);
      return refused;
    }
    const text = JSON.stringify([namespace, name, description ?? null, parameters ?? null]);
    const known = this.#byText.get(text);
    const entry = known ?? { text, compiled: null };
    this.#byObject.set(definition, entry);
    if (!known) return this.#compile(definition, entry);
    this.#touch(known);
    return known.compiled;
  }

  #compile(definition: ToolDefinition, entry: Entry): CompiledTool | null {
    const known = this.#byText.get(entry.text)?.compiled;
    if (known) return (entry.compiled = known);
    if (!this.#budget.mayCompile) return null;
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
