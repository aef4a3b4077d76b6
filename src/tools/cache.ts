// Compiled tools, kept: the transcripts of a corpus define the same tools again and again.

import type { ToolDefinition } from '../model/data.ts';
import { type CompiledTool, compileTool } from './compile.ts';
import { isBounded } from './json.ts';
import { SCHEMA_LIMITS, type SchemaLimits } from './schema-limits.ts';

const MOST_ENTRIES = 1024;
/** UTF-16 units of all keys. */
const MOST_TEXT = 16 * 1024 * 1024;

/** Knows a definition again, as an object or by what it says. What was not asked for the longest goes first. */
export class ToolCache {
  readonly #limits: Partial<SchemaLimits>;
  readonly #byObject = new WeakMap<ToolDefinition, CompiledTool>();
  readonly #byText = new Map<string, CompiledTool>();
  #length = 0;

  constructor(limits: Partial<SchemaLimits> = {}) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#byText.size;
  }

  get(definition: ToolDefinition): CompiledTool {
    const known = this.#byObject.get(definition);
    if (known) return known;
    const compiled = this.#byItsText(definition);
    this.#byObject.set(definition, compiled);
    return compiled;
  }

  #byItsText(definition: ToolDefinition): CompiledTool {
    const { namespace, name, description, parameters } = definition;
    const { bytes, depth } = { ...SCHEMA_LIMITS, ...this.#limits };
    if (!isBounded(parameters ?? null, bytes, depth)) return compileTool(definition, this.#limits);
    const text = JSON.stringify([namespace, name, description ?? null, parameters ?? null]);
    const known = this.#byText.get(text);
    const compiled = known ?? compileTool(definition, this.#limits);
    if (known) this.#byText.delete(text);
    else this.#length += text.length;
    this.#byText.set(text, compiled);
    for (const oldest of this.#byText.keys()) {
      if (this.#byText.size <= MOST_ENTRIES && this.#length <= MOST_TEXT) break;
      this.#byText.delete(oldest);
      this.#length -= oldest.length;
    }
    return compiled;
  }
}
