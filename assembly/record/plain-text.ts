// Texts of a record that are no transcript for certain, by their bytes in the JSON. What may be one is for the host.

import { CODED } from '../../src/abi';
import { findPair } from '../pair';
import { holdsPair } from './tags';
import { BACKSLASH, COLON } from './text';

/** `<|`. */
const TOKEN_START: u32 = 0x7c3c;
/** `version`, seven bytes. */
const VERSION: u64 = 0x6e6f6973726576;

/** Address of the first `<|` in [p, to); 0: there is none. */
export function tokenStart(p: usize, to: usize): usize { return findPair(p, to - 1, 0x3c, 0x7c); }

/** Of `start|>`, `im_start|>`, `message|>`, `channel|>`, `fim_prefix|>`, `file_separator|>`: beginning and end. */
const STAR: u32 = 0x72617473;
const START_END: u32 = 0x3e7c7472;
const IM_S: u32 = 0x735f6d69;
const IM_START_END: u64 = 0x3e7c74726174735f;
const MESS: u32 = 0x7373656d;
const MESSAGE_END: u64 = 0x3e7c656761737365;
const CHAN: u32 = 0x6e616863;
const CHANNEL_END: u64 = 0x3e7c6c656e6e6168;
const FIM: u32 = 0x5f6d6966;
const FIM_PREFIX_END: u64 = 0x3e7c786966657270;
const FILE: u32 = 0x656c6966;
const FILE_SEPARATOR: u32 = 0x7065735f;
const FILE_SEPARATOR_END: u64 = 0x3e7c726f74617261;

/** Whether a token that a transcript mostly begins with stands at `at`, which may be 0. */
export function isOpening(at: usize): bool {
  if (at == 0) return false;
  const word = load<u32>(at, 2);
  if (word == STAR) return load<u32>(at, 5) == START_END;
  if (word == IM_S) return load<u64>(at, 4) == IM_START_END;
  if (word == FIM) return load<u64>(at, 6) == FIM_PREFIX_END;
  if (word == FILE) return load<u32>(at, 6) == FILE_SEPARATOR && load<u64>(at, 10) == FILE_SEPARATOR_END;
  const end = load<u64>(at, 3);
  return (word == MESS && end == MESSAGE_END) || (word == CHAN && end == CHANNEL_END);
}

/** Whether `<|` may stand in a text, a body of this kind. */
export function mayHoldToken(kind: u32, p: usize, to: usize): bool {
  if ((kind & CODED) == 0) return holdsPair(p, to, TOKEN_START);
  // Any character may be written as an escape.
  for (; p < to; p++) {
    const word = load<u32>(p);
    if ((word & 0xffff) == TOKEN_START) return true;
    // `003c` and `007c` in `\u003c` and `\u007C`.
    if ((word | 0x20040000) == 0x63373030) return true;
  }
  return false;
}

/** Whether a token or a document's header may stand in a text: that of 0.1 has tokens without `<|`. */
export function mayHoldTranscript(p: usize, to: usize): bool { return mayBeginHeader(p, to) || mayHold(p, to); }

/** Whether a header may begin with a text, which must not be blank: `---`, `#`, a key. */
function mayBeginHeader(p: usize, to: usize): bool {
  const byte = <u32>load<u8>(p);
  if (byte <= 0x20 || byte == 0x23 || byte == 0x2d || byte == BACKSLASH || byte == 0xef) return true;
  while (isOfKey(load<u8>(p))) p++;
  return p == to || load<u8>(p) == COLON;
}

// @ts-ignore: decorator
@inline
function isOfKey(byte: u32): bool {
  return (byte | 0x20) - 0x61 < 26 || byte - 0x30 < 10 || byte == 0x2d || byte == 0x5f;
}

/** Whether a token, or a line that begins a header, may stand in a text. */
function mayHold(p: usize, to: usize): bool {
  for (; p < to; p++) {
    const byte = <u32>load<u8>(p);
    const next = <u32>load<u8>(p, 1);
    if (byte == 0x3c) return true;
    // [BOS] and [EOS]; ---
    if (byte == 0x5b && (next == 0x42 || next == 0x45)) return true;
    if (byte == 0x2d && next == 0x2d) return true;
    if (byte == COLON && (load<u64>(p - 7) & 0xffffffffffffff) == VERSION) return true;
    if (byte == BACKSLASH) {
      // A code of a sign or a letter.
      if (load<u32>(p) == 0x3030755c && <u32>load<u8>(p, 4) - 0x32 < 6) return true;
      p++;
    }
  }
  return false;
}
