// Compiled tools, kept: the transcripts of a corpus define the same tools again and again.

import type { ToolDefinition } from '../model/data.ts';
import { type CompiledTool, compileTool } from './compile.ts';
import { isBounded } from './json.ts';
import { type Budget, SCHEMA_LIMITS, type SchemaLimits, textOfTool } from './schema-limits.ts';

/** Definitions that came again. */
const MOST_ENTRIES = 1024;
/** Those that did not: where no definition repeats, each that is kept longer is one more for the garbage collector. */
const MOST_NEW = 64;
/** Of what made room it is known that it was there. */
const MOST_GONE = 64 * 1024;
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
  readonly #new = new Map<string, Entry>();
  readonly #known = new Map<string, Entry>();
  /** Hashes of texts. */
  readonly #gone = new Set<number>();
  #length = 0;
  #patterns = 0;

  constructor(limits: Partial<SchemaLimits> = {}, budget: Budget | null = null) {
    this.#limits = limits;
    this.#budget = budget;
  }

  get size(): number {
    return this.#new.size + this.#known.size;
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
    const { bytes, depth } = { ...SCHEMA_LIMITS, ...this.#limits };
    let known: Entry | CompiledTool | undefined;
    if (!isBounded(definition.parameters ?? null, bytes, depth)) known = compileTool(definition, this.#limits);
    else {
      const text = textOfTool(definition);
      known = this.#new.get(text) ?? this.#known.get(text)
        ?? { text, hasPatterns: text.includes('"pattern'), compiled: null };
    }
    this.#byObject.set(definition, known);
    return known;
  }

  #compiled(definition: ToolDefinition, entry: Entry): CompiledTool {
    const { text } = entry;
    for (const entries of [this.#new, this.#known]) {
      // Another entry may have the same text: it was made when this one had made room.
      const kept = entries.get(text);
      if (kept === undefined) continue;
      entries.delete(text);
      entries.set(text, kept);
      return kept.compiled!;
    }
    const compiled = compileTool(definition, this.#limits, this.#budget);
    entry.compiled = compiled;
    (this.#gone.has(hashOf(text)) ? this.#known : this.#new).set(text, entry);
    this.#length += text.length;
    this.#patterns += compiled.patternSize * PATTERN_BYTES;
    this.#makeRoom(this.#new, MOST_NEW);
    this.#makeRoom(this.#known, MOST_ENTRIES);
    return compiled;
  }

  /** What was not asked for the longest goes. */
  #makeRoom(entries: Map<string, Entry>, most: number): void {
    for (const oldest of entries.values()) {
      if (entries.size <= most && this.#length <= MOST_TEXT && this.#patterns <= MOST_PATTERNS) break;
      entries.delete(oldest.text);
      this.#length -= oldest.text.length;
      this.#patterns -= oldest.compiled!.patternSize * PATTERN_BYTES;
      oldest.compiled = null;
      if (this.#gone.size >= MOST_GONE) this.#gone.clear();
      this.#gone.add(hashOf(oldest.text));
    }
  }
}

/** Of all units: definitions that do not repeat may be nearly alike. */
function hashOf(text: string): number {
  let hash = text.length;
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return hash;
}
