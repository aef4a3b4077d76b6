// What a text in which nothing was found, or what was taken for a document's header, looks like, by the signs of its
// beginning.

import type { Machine } from '../scan/machine.ts';
import type { Watch } from '../scan/reading.ts';
import { decodeUtf8 } from '../utf8.ts';

/** Bytes at the beginning of an input that are looked at. */
export const LOOK = 4096;

const UNPACK = ', which has to be unpacked first';
const UTF16 = 'UTF-16 text, which has to be written as UTF-8 first';

/** Bytes that are not UTF-8 stand in the text as U+FFFD. */
const SIGNS: readonly (readonly [sign: RegExp, name: string])[] = [
  [/^(?:\ufffd{2})?(?:[\t\n\r -~]\0){2}/, UTF16],
  [/^(?:\ufffd{2})?(?:\0[\t\n\r -~]){2}/, UTF16],
  [/^PK\x03\x04/, `a zip archive${UNPACK}`],
  [/^[^\0]{1,100}\0[^]{100,512}\0ustar/, `a tar archive${UNPACK}`],
  [/^7z\ufffd/, `a 7z archive${UNPACK}`],
  [/^\ufffd7zXZ\0/, `an xz file${UNPACK}`],
  [/^BZh\d1AY&SY/, `a bzip2 file${UNPACK}`],
  [/^\x04"M\x18/, `an lz4 file${UNPACK}`],
  [/^ARROW1\0/, 'an Arrow file, which has to be written as Parquet or JSON Lines first'],
  [/\0/, 'binary data'],
  [/<\|(?:begin_of_text|start_header_id|eot_id)\|>/, 'Llama 3 text'],
  [/<(?:start|end)_of_turn>/, 'Gemma text'],
  [/\[\/?INST\]/, 'Mistral or Llama 2 text'],
  [/<\uff5c(?:begin\u2581of\u2581sentence|User|Assistant)\uff5c>/, 'DeepSeek text'],
  [/<\|(?:user|assistant|system)\|>/, 'Phi or Zephyr text'],
  [/^\s*<(?:!doctype|html|head|body)\b/i, 'HTML'],
  // A line that only code has, among the first ones: prose may begin with the same words.
  [/^(?:#include\s*[<"]|<\?(?:php|xml)\b|from\s+[\w.]+\s+import\s)/m, 'source code'],
  [/^#!/, 'source code'],
  [/^import\s+[\w.]+(?:\s+as\s+\w+)?\s*$/m, 'source code'],
  [/^(?:import|package|using)\s[^\n]*;\s*$/m, 'source code'],
  [/^(?:export\s+)?(?:async\s+)?(?:def|function|func|fn|class)\s+\w+[^\n]*[:{]\s*$/m, 'source code'],
];

const NOTHING = new Uint8Array(0);

/** The first bytes of an input, kept while they pass. */
export class Beginning implements Watch {
  #bytes = NOTHING;
  #length = 0;

  /** Takes window bytes [from, to), however few they are. */
  watch(machine: Machine, base: number, from: number, to: number, final: boolean): void {
    const at = base + from;
    if (at >= LOOK) return;
    const end = Math.min(base + to, LOOK);
    if (this.#bytes.length === 0) this.#bytes = new Uint8Array(final ? end : LOOK);
    this.#bytes.set(machine.source.subarray(from, end - base), at);
    this.#length = end;
  }

  /** What the bytes up to `to` look like, for a finding; empty: nothing that is known. */
  likeness(to = Infinity): { readonly detail?: string } {
    const name = likenessOf(this.#bytes.subarray(0, Math.min(to, this.#length)));
    return name === null ? {} : { detail: `it looks like ${name}` };
  }
}

/** What bytes look like that begin a text in which nothing was found; null: nothing that is known. */
export function likenessOf(bytes: Uint8Array): string | null {
  const text = decodeUtf8(bytes);
  return SIGNS.find(([sign]) => sign.test(text))?.[1] ?? null;
}
