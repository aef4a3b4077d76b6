// The tools that a transcript has defined so far, and calls looked at by their definitions (R-TOOLS, R-CALL).

import { KEPT_DEFINES, KEPT_EMPTY } from '../abi.ts';
import type { ToolDefinition } from '../model/data.ts';
import { shownName } from '../printable.ts';
import type { DialectId } from '../scan/dialects.ts';
import type { Machine } from '../scan/machine.ts';
import { decodeUtf8 } from '../utf8.ts';
import { argumentsForCheck, namesProperty } from './arguments.ts';
import type { CompiledTool } from './compile.ts';
import { Lately } from './lately.ts';
import { isBuiltin, plainName } from './name.ts';
import { Budget, type SchemaLimits } from './schema-limits.ts';
import type { ToolsRead } from './types.ts';

/** A message that may define tools. */
export interface Definer {
  readonly role: string;
  readonly content: string;
  readonly dialectId: DialectId;
  /** What it defines, when it was read. */
  defined?: Defined;
  /** What a scanner keeps its text as; 0: nothing. */
  kept: number;
  /** Tools whose calls the scanner knows. */
  learned?: Set<string>;
}

/** UTF-16 units of texts whose definitions are kept, of a role and dialect and each: a corpus repeats them. */
const KEPT = 4 * 1024 * 1024;
const LONGEST = 256 * 1024;

/** What a message defines; not whole: it holds definitions that were not read. */
interface Defined {
  readonly tools: ToolsByName;
  readonly isWhole: boolean;
  /** See ToolsRead. */
  readonly hasOtherType: boolean;
}

/** Tools by the names that calls have for them. */
export type ToolsByName = ReadonlyMap<string, ToolDefinition>;

export function byName(tools: readonly ToolDefinition[]): ToolsByName {
  return new Map(
    tools.map((tool) => [tool.namespace === 'functions' ? tool.name : `${tool.namespace}.${tool.name}`, tool]),
  );
}

/** How definitions are read, and compiled: with libraries that are larger than all else that checking takes. */
export interface ToolKnowledge {
  /** Reads the definitions of messages, one after the other. */
  reader(): (definer: Omit<Definer, 'kept'>) => ToolsRead;
  /** Compiled tools. */
  cache(limits: Partial<SchemaLimits>, budget: Budget): { find(definition: ToolDefinition): CompiledTool | null };
}

const NOTHING_DEFINED: Defined = { tools: new Map(), isWhole: true, hasOtherType: false };

/** Definitions by the text that holds them. */
export class Definitions {
  /** By role and dialect of the message. */
  readonly #known = new Map<string, Lately<Defined>>();
  readonly #read: ReturnType<ToolKnowledge['reader']> | undefined;

  /** Null: nothing is known of definitions, and none is read. */
  constructor(knowledge: ToolKnowledge | null) {
    this.#read = knowledge?.reader();
  }

  read({ role, content, dialectId }: Omit<Definer, 'kept'>): Defined {
    const read = this.#read;
    if (read === undefined) return NOTHING_DEFINED;
    const kind = `${role} ${dialectId}`;
    let known = this.#known.get(kind);
    if (known === undefined) this.#known.set(kind, (known = new Lately(KEPT, LONGEST)));
    return known.get(content, () => {
      const { tools, problems, hasOtherType = false } = read({ role, content, dialectId });
      return { tools: byName(tools), isWhole: problems.every(({ reason }) => reason === 'field'), hasOtherType };
    });
  }
}

export interface CallProblem {
  readonly rule: 'unknown-tool' | 'invalid-arguments';
  readonly severity?: 'warning';
  readonly detail?: string;
}

/** Steps of a check when many have run into their bound. */
const FEW_STEPS = 2000;

/**
 * What is known of definitions wherever they stand: corpora repeat them, and each input, record or part of one would
 * read them anew.
 */
export class ToolMemory {
  readonly definitions: Definitions;
  readonly budget = new Budget();
  readonly usual: ReturnType<ToolKnowledge['cache']> | undefined;
  readonly strict: ReturnType<ToolKnowledge['cache']> | undefined;
  /** The scanner that keeps texts of definers, and what they are, by their numbers. */
  #machine: Machine | null = null;
  #texts: Definer[] = [];
  /** Numbers that the scanner gave before it forgot them count no more. */
  #isStale = false;
  /**
   * Tables that the scanner has, by their addresses; and schemas that were used once, which most are that no corpus
   * repeats.
   */
  #tables = new WeakMap<CompiledTool, number>();
  readonly #used = new WeakSet<CompiledTool>();

  /** Null: tools are not looked at. */
  constructor(knowledge: ToolKnowledge | null) {
    this.definitions = new Definitions(knowledge);
    this.usual = knowledge?.cache({}, this.budget);
    this.strict = knowledge?.cache({ steps: FEW_STEPS }, this.budget);
  }

  /** Tools are not looked at: what they define is not known. */
  get isBlind(): boolean {
    return this.usual === undefined;
  }

  /** A scanner is about to ask for what it keeps. */
  serve(machine: Machine): void {
    this.#isStale = false;
    if (machine.keeper === this && machine === this.#machine) return;
    machine.forgetKept();
    machine.keeper = this;
    this.#machine = machine;
    this.#forget();
  }

  #forget(): void {
    this.#texts = [];
    this.#tables = new WeakMap();
  }

  /**
   * The message whose body is bytes [from, to) of the scanner's window; `number`: what the scanner keeps it as, with
   * this tag, or 0.
   */
  definer(number: number, from: number, to: number, role: string, dialectId: DialectId, tag: number): Definer {
    const known = this.#isStale ? undefined : this.#texts[number];
    if (known !== undefined) {
      // What stands there again is worth to be read.
      this.read(known);
      return known;
    }
    const machine = this.#machine!;
    const kept = machine.keep(from, to, tag);
    const definer: Definer = { role, content: textOf(machine, from, to), dialectId, kept };
    if (kept === 1) {
      this.#isStale = true;
      this.#forget();
    }
    if (kept > 0) this.#texts[kept] = definer;
    return definer;
  }

  /** What the scanner passed over: a definer by its number. */
  definerOf(number: number): Definer {
    return this.#texts[number]!;
  }

  #isKept(definer: Definer): boolean {
    return definer.kept > 0 && this.#texts[definer.kept] === definer;
  }

  read(definer: Definer): Defined {
    if (definer.defined !== undefined) return definer.defined;
    const defined = (definer.defined = this.definitions.read(definer));
    if (this.#isKept(definer) && defined.isWhole) {
      this.#machine!.setKeptState(definer.kept, defined.tools.size > 0 ? KEPT_DEFINES : KEPT_EMPTY);
    }
    return defined;
  }

  /** The address of a schema's table; 0: there is none. */
  tableOf(schema: CompiledTool, machine: Machine): number {
    if (machine !== this.#machine) return 0;
    const known = this.#tables.get(schema);
    if (known !== undefined) return known;
    if (!this.#used.has(schema)) {
      this.#used.add(schema);
      return 0;
    }
    const { table } = schema;
    const address = table === null ? 0 : machine.keepTable(table);
    this.#tables.set(schema, address);
    return address;
  }

  /** From now on the scanner passes over calls of a tool by itself. `address`: of the table that its arguments fit. */
  learn(definer: Definer, name: string, address: number): void {
    const plain = plainName(name);
    if (!this.#isKept(definer) || definer.learned?.has(plain)) return;
    (definer.learned ??= new Set()).add(plain);
    this.#machine!.learnTool(definer.kept, encoder.encode(plain), address);
  }
}

const encoder = new TextEncoder();
const CLOSE_BRACE = 0x7d;

/** Definitions end in a bracket; without one, what was begun is told as unclosed. */
function textOf(machine: Machine, from: number, to: number): string {
  const last = machine.findLast(from, to, CLOSE_BRACE);
  return decodeUtf8(machine.source.subarray(from, last < 0 ? to : last + 1));
}

/** Schemas of an input, within the budget. */
export class Schemas {
  readonly #memory: ToolMemory;

  constructor(memory: ToolMemory) {
    this.#memory = memory;
  }

  get budget(): Budget {
    return this.#memory.budget;
  }

  /** The table that arguments in the machine's window fit, as JSON in which `check` finds nothing; 0: nobody knows. */
  fitting(definition: ToolDefinition, machine: Machine, from: number, to: number): number {
    const schema = this.#schemaOf(definition);
    if (schema === null || schema.refused !== null || this.budget.hasGivenUp(definition)) return 0;
    const table = this.#memory.tableOf(schema, machine);
    return table > 0 && machine.fits(table, from, to) ? table : 0;
  }

  /** Null: its patterns are beyond the budget. */
  #schemaOf(definition: ToolDefinition): CompiledTool | null {
    return (this.budget.isStrict ? this.#memory.strict : this.#memory.usual)?.find(definition) ?? null;
  }

  /** `name`: as the call has it. */
  check(definition: ToolDefinition, value: unknown, name: string): CallProblem | null {
    const schema = this.#schemaOf(definition);
    if (schema === null) return unchecked(name);
    if (schema.refused) return fault(name, schema.faults(value));
    const checked = argumentsForCheck(value, definition);
    const finding = this.budget.hasGivenUp(definition) ? BEYOND : schema.check(checked);
    if (finding?.keyword !== BEYOND.keyword) return finding && fault(name, schema.faults(checked));
    this.budget.giveUp(definition);
    return unchecked(name);
  }
}

function unchecked(name: string): CallProblem {
  return { ...fault(name, ['they are not checked: they or the schema are beyond a bound']), severity: 'warning' };
}

/** Arguments of a tool that do not fit. */
function fault(name: string, reasons: readonly string[]): CallProblem {
  return { rule: 'invalid-arguments', detail: `${shownName(plainName(name))}: ${reasons.join('; ')}` };
}

const BEYOND = { pointer: '', keyword: 'limit' };

/** Containers that may stand in one another in arguments that are looked at quickly. */
export const LEAST_DEPTH = 64;
/** Messages that are kept unread until a call asks for definitions. */
const UNREAD = 16;

export class KnownTools {
  /** Shared with others that define the same, until something is added. */
  #tools: ToolsByName;
  #own: Map<string, ToolDefinition> | null = null;
  /** The one message that defines them; null: there is none, or there are several. */
  #definer: Definer | null = null;
  readonly #memory: ToolMemory;
  readonly #schemas: Schemas;
  #unread: Definer[] = [];
  /** There are definitions that were not read: a tool without one may still be defined. */
  #isPartial = false;
  readonly #builtins: readonly string[];
  /** What definitions in the text say in full; null: they say it themselves. */
  readonly #whole: ToolsByName | null;

  /**
   * `given`: what the caller knows beside the transcript. `builtins`: further tools that need no definition. `whole`:
   * what the text was written from, where it does not hold all of it.
   */
  constructor(
    given: ToolsByName, memory: ToolMemory, schemas: Schemas, builtins: readonly string[],
    whole: ToolsByName | null = null,
  ) {
    this.#builtins = builtins;
    this.#whole = whole;
    this.#tools = given;
    this.#memory = memory;
    this.#schemas = schemas;
  }

  /** A system or developer message: its definitions count from here on. */
  note(definer: Definer): void {
    this.#unread.push(definer);
    if (this.#unread.length >= UNREAD) this.#readAll();
  }

  /** Whether something else than a function is defined in a message (0.1 extended §8.1). */
  hasOtherType(definer: Definer): boolean {
    return this.#memory.read(definer).hasOtherType;
  }

  /** A message that is too long to be read for definitions. */
  noteUnread(): void {
    this.#isPartial = true;
  }

  /**
   * What is wrong with a call of `name`; `read` gives its arguments, undefined when they are no JSON. `isText`: they
   * are said to be text, which a tool without parameters may take.
   */
  check(name: string, read: () => unknown, isText = false): CallProblem | null {
    if (!this.any) return null;
    const definition = this.#definitionOf(name);
    if (!definition) {
      const mayBeDefined = isBuiltin(name, this.#builtins) || this.#isPartial;
      return mayBeDefined ? null : { rule: 'unknown-tool', detail: shownName(plainName(name)) };
    }
    if (isText && definition.parameters === undefined) return null;
    const value = read();
    if (value === undefined) return fault(name, ['they are missing, or no JSON']);
    return this.#schemas.check(definition, value, name);
  }

  /**
   * A quick look at a call whose arguments are the bytes [from, to) of the machine's window, as JSON that may nest
   * LEAST_DEPTH deep. `fits`: they are, and `check` finds nothing; `free`: `check` would not read them, and finds
   * nothing; null: nobody knows.
   */
  look(name: string, machine: Machine, from: number, to: number): 'fits' | 'free' | null {
    if (!this.any) return 'free';
    const definition = this.#definitionOf(name);
    if (!definition) return isBuiltin(name, this.#builtins) || this.#isPartial ? 'free' : null;
    const table = this.#schemas.fitting(definition, machine, from, to);
    if (table === 0) return null;
    const saysAll = this.#definer !== null && this.#whole === null && !this.#isPartial;
    if (saysAll) this.#memory.learn(this.#definer!, name, table);
    return 'fits';
  }

  /** The definition of a tool has a property of this name, or may have one. */
  hasProperty(tool: string, name: string): boolean {
    if (this.#memory.isBlind) return true;
    return this.any && namesProperty(this.#definitionOf(tool)?.parameters, name);
  }

  /** `name`: as a call has it. */
  #definitionOf(name: string): ToolDefinition | undefined {
    const plain = plainName(name);
    const read = this.#tools.get(plain);
    return read && (this.#whole?.get(plain) ?? read);
  }

  /** Some tools are defined: only then calls are checked. */
  get any(): boolean {
    this.#readAll();
    return this.#tools.size > 0;
  }

  #readAll(): void {
    if (this.#unread.length === 0) return;
    for (const definer of this.#unread) {
      const { tools, isWhole } = this.#memory.read(definer);
      this.#define(tools, definer);
      if (!isWhole) this.#isPartial = true;
    }
    this.#unread = [];
  }

  #define(tools: ToolsByName, definer: Definer): void {
    if (tools.size === 0) return;
    if (this.#tools.size === 0) {
      this.#tools = tools;
      this.#definer = definer;
    } else {
      this.#definer = null;
      this.#tools = this.#own ??= new Map(this.#tools);
      for (const [name, tool] of tools) this.#own.set(name, tool);
    }
  }
}
