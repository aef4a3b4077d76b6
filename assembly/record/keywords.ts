// Members of definitions and keywords of schemas, as the first 8 bytes of what they are called, and the last 8 of long
// ones. Nothing is known of a keyword that is none of these.

import { keyFrom, keyTo } from './members';

export const NAME: u64 = 0x656d616e;
export const FUNCTION: u64 = 0x6e6f6974636e7566;
export const INPUT_SC: u64 = 0x63735f7475706e69;
export const INPUT_SC_END: u64 = 0x616d656863735f74;
/** "custom" */
export const CUSTOM: u64 = 0x226d6f7473756322;
export const PARAMETE: u64 = 0x6574656d61726170;
export const PARAMETE_END: u64 = 0x73726574656d6172;

export const TYPE: u64 = 0x65707974;
export const ENUM: u64 = 0x6d756e65;
export const ITEMS: u64 = 0x736d657469;
export const TITLE: u64 = 0x656c746974;
export const DEFAULT: u64 = 0x746c7561666564;
const ADDITION: u64 = 0x6e6f697469646461;
const ALPROPER: u64 = 0x7265706f72506c61;
const TIES: u32 = 0x73656974;
export const DESCRIPT: u64 = 0x7470697263736564;
export const DESCRIPT_END: u64 = 0x6e6f697470697263;
export const PROPERTI: u64 = 0x69747265706f7270;
export const PROPERTI_END: u64 = 0x736569747265706f;
export const REQUIRED: u64 = 0x6465726975716572;

export const FORMAT: u64 = 0x74616d726f66;
export const EXAMPLES: u64 = 0x73656c706d617865;
export const NULLABLE: u64 = 0x656c62616c6c756e;
/** `$schema` */
export const SCHEMA: u64 = 0x616d6568637324;
export const ANY_OF: u64 = 0x664f796e61;
export const ONE_OF: u64 = 0x664f656e6f;
/** `min` and `max`, and then `Leng`, `Item`, `imum`. */
const MIN: u32 = 0x6e696d;
const MAX: u32 = 0x78616d;
const LENG: u32 = 0x676e654c;
const ITEM: u32 = 0x6d657449;
const IMUM: u32 = 0x6d756d69;
/** Digits of a bound that is sure to be one. */
const MOST_DIGITS: usize = 9;

/** Whether the key at hand bounds lengths or numbers, and its value at p, few digits, can: `minLength`, `maximum`. */
export function isBound(p: usize): bool {
  const start = load<u32>(keyFrom) & 0xffffff;
  if (start != MIN && start != MAX) return false;
  const word = load<u32>(keyFrom, 3);
  const length = keyTo - keyFrom;
  if (!(word == IMUM && length == 7) && !(word == ITEM && length == 8) && !(word == LENG && length == 9)) return false;
  const from = p;
  while (<u32>load<u8>(p) - 0x30 < 10) p++;
  const next = <u32>load<u8>(p);
  return p != from && p - from <= MOST_DIGITS && next != 0x2e && (next | 0x20) != 0x65;
}

export function isAdditional(): bool {
  return keyTo - keyFrom == 20 && load<u64>(keyFrom) == ADDITION && load<u64>(keyFrom, 8) == ALPROPER
    && load<u32>(keyFrom, 16) == TIES;
}
