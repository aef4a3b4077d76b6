// The whole scanner in WebAssembly behind the Machine interface: rows (wasm-rows.ts), and what checking and counting
// ask. The only importer of @assemblyscript/loader.

import { instantiateSync } from '@assemblyscript/loader';
import * as abi from '../abi.ts';
import { scalar, simd } from './binary.ts';
import { type Build, Builds } from './builds.ts';
import type { ArgumentTable, LedgerCall, Machine } from './machine.ts';
import { type RowScanner, WasmRows, type WindowOptions } from './wasm-rows.ts';
import { decodeUtf8 } from '../utf8.ts';

/** What assembly/index.ts exports. */
interface Scanner extends RowScanner {
  save(at: number): void;
  restore(at: number): void;
  invalidUtf8(from: number, to: number): number;
  tallyAt(): number;
  countLines(from: number, to: number): number;
  countCharacters(from: number, to: number): number;
  findLast(from: number, to: number, byte: number): number;
  findPair(from: number, to: number, first: number, second: number): number;
  tally(from: number, to: number, stops: number): number;
  cleanAt(): number;
  skipClean(from: number, to: number, base: number): number;
  ledgerAt(): number;
  fitsNode(from: number, to: number, node: number): number;
  allocate(bytes: number): number;
  learnTool(number: number, name: number, length: number, node: number): number;
  setKeptState(number: number, state: number): void;
  placeKept(from: number, to: number): void;
  keep(from: number, to: number, tag: number): number;
  forgetKept(): void;
  jsonBegin(most: number): void;
  jsonFeed(from: number, to: number): number;
  jsonEnd(): number;
  jsonWhole(from: number, to: number, most: number): number;
}

/** The scanner's state, before the scratch. */
const STATE_BYTES = 192;
/** Content that lies elsewhere is copied here to be checked, a piece at a time; it stays in the first-level cache. */
const SCRATCH_BYTES = 16 * 1024;
/** Texts that are kept, and what is known of them. Memory that nothing is written to costs nothing. */
const KEPT_BYTES = 2 * 1024 * 1024;
/** Beside the depth: the document is valid UTF-8. */
const IS_UTF8 = 1 << 31;
const builds = new Builds(simd, scalar);

export interface WasmOptions extends WindowOptions {
  /** `best` asks the engine. */
  build?: Build;
}

export class WasmMachine extends WasmRows implements Machine {
  readonly sums: Uint32Array;
  readonly clean: Int32Array;
  readonly ledger: Int32Array;
  keeper: object | null = null;
  readonly #calls: DataView;
  readonly #kept: Uint8Array;
  readonly #scanner: Scanner;
  readonly #scratch: Uint8Array;
  readonly #state: Int32Array;

  constructor(options: WasmOptions = {}) {
    // The loader's own exports pass arguments on through an array, which costs more than the short calls themselves.
    const { instance } = instantiateSync(builds.compile(options.build ?? 'best'), {});
    super(instance.exports, options, { before: STATE_BYTES + SCRATCH_BYTES, behind: KEPT_BYTES });
    const scanner = instance.exports as unknown as Scanner;
    this.#scanner = scanner;
    scanner.placeKept(this.behindAt, this.behindAt + KEPT_BYTES);
    const { buffer } = scanner.memory;
    this.sums = new Uint32Array(buffer, scanner.tallyAt(), abi.TALLY_WORDS);
    this.clean = new Int32Array(buffer, scanner.cleanAt(), abi.CLEAN_WORDS);
    this.ledger = new Int32Array(buffer, scanner.ledgerAt(), abi.LEDGER_WORDS);
    this.#calls = new DataView(buffer, scanner.ledgerAt());
    this.#kept = new Uint8Array(buffer, this.behindAt, KEPT_BYTES);
    this.#state = new Int32Array(buffer, this.beforeAt, STATE_BYTES / 4);
    this.#scratch = new Uint8Array(buffer, this.beforeAt + STATE_BYTES, SCRATCH_BYTES);
  }

  save(into: Int32Array | null = null): Int32Array {
    this.#scanner.save(this.beforeAt);
    if (into === null) return this.#state.slice();
    into.set(this.#state);
    return into;
  }

  restore(state: Int32Array): void {
    this.#state.set(state);
    this.#scanner.restore(this.beforeAt);
  }

  invalidUtf8(from: number, to: number): number {
    const at = this.#scanner.invalidUtf8(this.windowAt + from, this.windowAt + to);
    return at === 0 ? -1 : at - this.windowAt;
  }

  tally(from: number, to: number, stops: number): number {
    return this.#scanner.tally(from, to, stops);
  }

  skipClean(from: number, to: number, base: number): number {
    return this.#scanner.skipClean(from, to, base);
  }

  ledgerCall(index: number): LedgerCall {
    const at = abi.LEDGER_ITEM + index * abi.LEDGER_ITEM_BYTES;
    const view = this.#calls;
    const text = (from: number, length: number): string =>
      decodeUtf8(new Uint8Array(view.buffer, view.byteOffset + at + from, length));
    const idLength = view.getInt32(at + abi.LEDGER_ID_LENGTH, true);
    return {
      id: idLength === 0 ? null : text(abi.LEDGER_ID, idLength),
      name: text(abi.LEDGER_NAME, view.getInt32(at + abi.LEDGER_NAME_LENGTH, true)),
      from: view.getFloat64(at + abi.LEDGER_FROM, true),
      to: view.getFloat64(at + abi.LEDGER_TO, true),
      isDone: view.getInt32(at + abi.LEDGER_DONE, true) !== 0,
    };
  }

  keep(from: number, to: number, tag: number): number {
    return this.#scanner.keep(this.windowAt + from, this.windowAt + to, tag);
  }

  setKeptState(number: number, state: number): void {
    this.#scanner.setKeptState(number, state);
  }

  keepTable({ words, texts, addresses }: ArgumentTable): number {
    const at = this.#scanner.allocate(words.byteLength + texts.length);
    if (at === 0) return 0;
    const kept = new Uint32Array(this.#kept.buffer, at, words.length);
    kept.set(words);
    for (const address of addresses) kept[address]! += at;
    this.#kept.set(texts, at + words.byteLength - this.#kept.byteOffset);
    return at;
  }

  learnTool(number: number, name: Uint8Array, node: number): void {
    const at = this.#scanner.allocate(name.length);
    if (at === 0) return;
    this.#kept.set(name, at - this.#kept.byteOffset);
    this.#scanner.learnTool(number, at, name.length, node);
  }

  fits(node: number, from: number, to: number): boolean {
    return this.#scanner.fitsNode(this.windowAt + from, this.windowAt + to, node) !== 0;
  }

  forgetKept(): void {
    this.#scanner.forgetKept();
  }

  countLines(from: number, to: number): number {
    return this.#scanner.countLines(this.windowAt + from, this.windowAt + to);
  }

  countCharacters(from: number, to: number): number {
    return this.#scanner.countCharacters(this.windowAt + from, this.windowAt + to);
  }

  findPair(from: number, to: number, first: number, second: number): number {
    const at = this.#scanner.findPair(this.windowAt + from, this.windowAt + to, first, second);
    return at === 0 ? -1 : at - this.windowAt;
  }

  findLast(from: number, to: number, byte: number): number {
    const at = this.#scanner.findLast(this.windowAt + from, this.windowAt + to, byte);
    return at === 0 ? -1 : at - this.windowAt;
  }

  checkJson(content: Uint8Array | Iterable<Uint8Array>, depth: number): number {
    const scanner = this.#scanner;
    if (content instanceof Uint8Array) {
      const from = this.#place(content, 0);
      if (from > 0) {
        const wrong = scanner.jsonWhole(from, from + content.length, depth);
        return wrong === 0 ? -1 : wrong - from;
      }
      content = [content];
    }
    scanner.jsonBegin(depth);
    let before = 0;
    for (const part of content) {
      const wrong = this.#feed(part);
      if (wrong >= 0) return before + wrong;
      before += part.length;
    }
    return scanner.jsonEnd() ? -1 : before;
  }

  checkWindowJson(from: number, to: number, depth: number): number {
    const wrong = this.#scanner.jsonWhole(this.windowAt + from, this.windowAt + to, depth | IS_UTF8);
    return wrong === 0 ? -1 : wrong - this.windowAt;
  }

  /** Feeds a part of any size; the offset of its first wrong byte, or -1. */
  #feed(part: Uint8Array): number {
    for (let at = 0; at < part.length; ) {
      let from = this.#place(part, at);
      const length = from > 0 ? part.length - at : SCRATCH_BYTES;
      if (from === 0) from = this.#copy(part, at, at + length);
      const wrong = this.#scanner.jsonFeed(from, from + length);
      if (wrong !== 0) return at + wrong - from;
      at += length;
    }
    return -1;
  }

  /**
   * Address of the bytes of `part` from `at` on, when they lie in the window or, copied, in the scratch; 0 when they
   * are too many.
   */
  #place(part: Uint8Array, at: number): number {
    const from = part.byteOffset;
    // Asked in this order: to tell its buffer takes an array longer than a short check.
    const mayBe = from >= this.windowAt && from + part.length <= this.windowAt + this.capacity;
    if (mayBe && part.buffer === this.source.buffer) return from + at;
    return part.length - at <= SCRATCH_BYTES ? this.#copy(part, at, part.length) : 0;
  }

  /** Copies [from, to) of `part` to the scratch; answers its address. */
  #copy(part: Uint8Array, from: number, to: number): number {
    const scratch = this.#scratch;
    scratch.set(from === 0 && to === part.length ? part : part.subarray(from, to));
    return scratch.byteOffset;
  }
}
