// The tools that a transcript has defined so far, and calls looked at by their definitions (R-TOOLS, R-CALL).

import type { ToolDefinition } from '../model/data.ts';
import type { DialectId } from '../scan/dialects.ts';
import { isBuiltin, plainName } from './call-rules.ts';
import { argumentsForCheck } from './tools/arguments.ts';
import { ToolCache } from './tools/cache.ts';
import type { CompiledTool } from './tools/compile.ts';
import { KnownBlocks } from './tools/declarations.ts';
import { toolsOf } from './tools/message.ts';

/** A message that may define tools. */
interface Definer {
  readonly role: string;
  readonly content: string;
  readonly dialectId: DialectId;
}

/** UTF-16 units of texts whose definitions are kept, in all and each: a corpus repeats them. */
const KEPT = 8 * 1024 * 1024;
const LONGEST = 256 * 1024;

/** What a message defines; not whole: it holds definitions that were not read. */
interface Defined {
  readonly tools: readonly ToolDefinition[];
  readonly isWhole: boolean;
}

/** Definitions by the text that holds them. */
export class Definitions {
  readonly #known = new Map<string, Map<string, Defined>>();
  readonly #blocks = new KnownBlocks();
  #units = 0;

  read(definer: Definer): Defined {
    const kind = `${definer.dialectId} ${definer.role}`;
    const known = this.#known.get(kind)?.get(definer.content);
    if (known) return known;
    const { tools, problems } = toolsOf(definer, this.#blocks);
    const defined = { tools, isWhole: problems.every(({ reason }) => reason === 'field') };
    if (definer.content.length > LONGEST) return defined;
    this.#units += definer.content.length;
    if (this.#units > KEPT) {
      this.#known.clear();
      this.#units = definer.content.length;
    }
    if (!this.#known.has(kind)) this.#known.set(kind, new Map());
    this.#known.get(kind)!.set(definer.content, defined);
    return defined;
  }
}

export type CallProblem = { readonly rule: 'unknown-tool' | 'invalid-arguments'; readonly severity?: 'warning'; readonly detail?: string };

/** Checks that run into their bound until further schemas get less time; and steps of a check then. */
const PATIENCE = 16;
const FEW_STEPS = 2000;

/** Schemas of an input. One that took too long is not used again, and after several of them each gets less time: an input is bounded too. */
export class Schemas {
  readonly #usual = new ToolCache();
  readonly #strict = new ToolCache({ steps: FEW_STEPS });
  readonly #givenUp = new WeakSet<CompiledTool>();
  #count = 0;

  check(definition: ToolDefinition, value: unknown): CallProblem | null {
    const schema = (this.#count < PATIENCE ? this.#usual : this.#strict).get(definition);
    if (schema.refused) {
      const { pointer, reason } = schema.refused;
      return { rule: 'invalid-arguments', detail: `the schema is not usable at #${pointer}: ${reason}` };
    }
    const finding = this.#givenUp.has(schema) ? BEYOND : schema.check(argumentsForCheck(value, definition));
    if (finding?.keyword !== BEYOND.keyword) return finding && { rule: 'invalid-arguments', detail: `#${finding.pointer} (${finding.keyword})` };
    this.#givenUp.add(schema);
    this.#count++;
    return { rule: 'invalid-arguments', severity: 'warning', detail: 'they are not checked: they or the schema are beyond a bound' };
  }
}

const BEYOND = { pointer: '', keyword: 'limit' };

/** Messages that are kept unread until a call asks for definitions. */
const UNREAD = 16;

export class KnownTools {
  readonly #tools = new Map<string, ToolDefinition>();
  readonly #definitions: Definitions;
  readonly #schemas: Schemas;
  #unread: Definer[] = [];
  /** There are definitions that were not read: a tool without one may still be defined. */
  #isPartial = false;

  /** `given`: what the caller knows beside the transcript. */
  constructor(given: readonly ToolDefinition[], definitions: Definitions, schemas: Schemas) {
    this.#definitions = definitions;
    this.#schemas = schemas;
    this.#define(given);
  }

  /** A system or developer message: its definitions count from here on. */
  note(definer: Definer): void {
    this.#unread.push(definer);
    if (this.#unread.length >= UNREAD) this.#readAll();
  }

  /** A message that is too long to be read for definitions. */
  noteUnread(): void {
    this.#isPartial = true;
  }

  /** Some tools are defined. */
  get any(): boolean {
    this.#readAll();
    return this.#tools.size > 0;
  }

  /** What is wrong with a call of `name`; `read` gives its arguments, undefined when they are no JSON. */
  check(name: string, read: () => unknown): CallProblem | null {
    const definition = this.#tools.get(plainName(name));
    if (!definition) return isBuiltin(name) || this.#isPartial ? null : { rule: 'unknown-tool' };
    const value = read();
    if (value === undefined) return { rule: 'invalid-arguments', detail: 'they are no JSON' };
    return this.#schemas.check(definition, value);
  }

  #readAll(): void {
    for (const definer of this.#unread) {
      const { tools, isWhole } = this.#definitions.read(definer);
      this.#define(tools);
      if (!isWhole) this.#isPartial = true;
    }
    this.#unread = [];
  }

  #define(tools: readonly ToolDefinition[]): void {
    for (const tool of tools) this.#tools.set(tool.namespace === 'functions' ? tool.name : `${tool.namespace}.${tool.name}`, tool);
  }
}
