// Keys of members, as the first 8 bytes of what they are called, and the last 8 of long ones. Nothing is known of a
// member that is called otherwise.

import { isKey, isLongKey, keyFrom, keyTo } from './members';

// Of records.
export const ID: u64 = 0x6469;
export const TEXT: u64 = 0x74786574;
export const TOOLS: u64 = 0x736c6f6f74;
export const INPUT: u64 = 0x7475706e69;
export const OUTPUT: u64 = 0x74757074756f;
export const SYSTEM: u64 = 0x6d6574737973;
export const PROMPT: u64 = 0x74706d6f7270;
export const CHOSEN: u64 = 0x6e65736f6863;
export const QUERY: u64 = 0x7972657571;
export const PROBLEM: u64 = 0x6d656c626f7270;
export const HISTORY: u64 = 0x79726f74736968;
export const VERSION: u64 = 0x6e6f6973726576;
export const MESSAGES: u64 = 0x736567617373656d;
export const QUESTION: u64 = 0x6e6f697473657571;
const BODY: u64 = 0x79646f62;
const PARAMS: u64 = 0x736d61726170;
const REQUEST: u64 = 0x74736575716572;
const CHOICES: u64 = 0x736563696f6863;
const RESULT: u64 = 0x746c75736572;
export const ANSWER: u64 = 0x726577736e61;
export const RESPONSE: u64 = 0x65736e6f70736572;
export const SOLUTION: u64 = 0x6e6f6974756c6f73;
export const REJECTED: u64 = 0x64657463656a6572;
const CONVERSA: u64 = 0x61737265766e6f63;
const CONVERSA_END: u64 = 0x736e6f6974617372;
const ERSATION: u64 = 0x6e6f697461737265;
export const SYSTEM_P: u64 = 0x705f6d6574737973;
export const SYSTEM_PROMPT_END: u64 = 0x74706d6f72705f6d;
export const COMPLETI: u64 = 0x6974656c706d6f63;
export const COMPLETI_END: u64 = 0x6e6f6974656c706d;
export const INSTRUCT: u64 = 0x7463757274736e69;
export const INSTRUCTION_END: u64 = 0x6e6f697463757274;
export const INSTRUCTIONS_END: u64 = 0x736e6f6974637572;

// Of messages, their parts and calls.
export const ROLE: u64 = 0x656c6f72;
export const FROM: u64 = 0x6d6f7266;
export const NAME: u64 = 0x656d616e;
export const TYPE: u64 = 0x65707974;
export const VALUE: u64 = 0x65756c6176;
export const PHASE: u64 = 0x6573616870;
export const CHANNEL: u64 = 0x6c656e6e616863;
export const CONTENT: u64 = 0x746e65746e6f63;
export const REFUSAL: u64 = 0x6c617375666572;
export const SUMMARY: u64 = 0x7972616d6d7573;
export const CALL_ID: u64 = 0x64695f6c6c6163;
export const FUNCTION: u64 = 0x6e6f6974636e7566;
export const THINKING: u64 = 0x676e696b6e696874;
export const ARGUMENT: u64 = 0x746e656d75677261;
export const ARGUMENT_END: u64 = 0x73746e656d756772;
export const FUNCTION_CALL_END: u64 = 0x6c6c61635f6e6f69;
export const TOOL_CAL: u64 = 0x6c61635f6c6f6f74;
export const TOOL_CALL_END: u64 = 0x6c6c61635f6c6f6f;
export const TOOL_CALLS_END: u64 = 0x736c6c61635f6c6f;
export const TOOL_CALL_ID_END: u64 = 0x64695f6c6c61635f;
export const TOOL_USE: u64 = 0x6573755f6c6f6f74;
export const TOOL_USE_END: u64 = 0x64695f6573755f6c;
export const REASONIN: u64 = 0x6e696e6f73616572;
export const REASONING_END: u64 = 0x676e696e6f736165;
export const REASONING_CONTENT_END: u64 = 0x746e65746e6f635f;

// Of definitions, and keywords of schemas.
export const INPUT_SC: u64 = 0x63735f7475706e69;
export const INPUT_SC_END: u64 = 0x616d656863735f74;
export const PARAMETE: u64 = 0x6574656d61726170;
export const PARAMETE_END: u64 = 0x73726574656d6172;
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

// @ts-ignore: decorator
@inline
export function isConversations(): bool { return isLongKey(13, CONVERSA, CONVERSA_END); }

/** `conversation` */
export function isConversation(): bool { return isLongKey(12, CONVERSA, ERSATION); }

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

/** Whether what stands under the key at hand may be a request to a server, or an answer of one. */
export function isExchanged(): bool {
  return isKey(4, BODY) || isKey(6, PARAMS) || isKey(7, REQUEST) || isKey(7, CHOICES) || isKey(6, RESULT);
}

export function isAdditional(): bool {
  return keyTo - keyFrom == 20 && load<u64>(keyFrom) == ADDITION && load<u64>(keyFrom, 8) == ALPROPER
    && load<u32>(keyFrom, 16) == TIES;
}
