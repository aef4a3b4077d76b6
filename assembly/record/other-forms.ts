// Records whose messages stand under other names than lists of entries: items of Responses (items.ts); `prompt` with
// `completion`; `chosen` and `rejected`, each a transcript of the record; `instruction`, `input`, `output`. And the
// texts of the system that stand beside the messages (beside.ts).

import { ASSISTANT, BEGINS_SIDE, CODED, FINAL, FORM_TRANSCRIPTS, HAS_DEVELOPER, HAS_LOSSES, USER } from '../../src/abi';
import {
  beginBeside, fromAt, keepText, kindAt, T_INPUT, T_INSTRUCTION, T_INSTRUCTIONS, T_OUTPUT, T_SYSTEM, toAt, writeAsked,
  writeOutput, writeSystem,
} from './beside';
import { beginsDialogue, writeDialogue } from './dialogues';
import { entries } from './entries';
import { beginEntries, isShareGpt } from './entry';
import { beginMessages, systems, writePlain, writeSaid } from './messages';
import { beginItems, itemList, items } from './items';
import { firstKey, isKey, memberValue, nextKey, pass } from './members';
import { isOpening, mayHoldToken, tokenStart } from './plain-text';
import { addFlag, flags, isOdd, loseFields, markElsewhere, markOdd, markSides, row } from './state';
import { afterKey, CLOSE_LIST, NULL_4, OPEN_LIST, OPEN_OBJECT, QUOTE, skipBlanks, valueEnd } from './text';
import { countedMember, IN_RECORD, kindOfBody, textFrom, textTo, textValue } from './value';
import { beginTexts, kindAtQuote, writeText, writeTranscript } from './whole-texts';
import { refuseTags } from './written';

const M5: u64 = 0xffffffffff;
const M6: u64 = 0xffffffffffff;
const M7: u64 = 0xffffffffffffff;
const K_TEXT: u64 = 0x2274786574;
const K_INPUT: u64 = 0x227475706e69;
const K_OUTPUT: u64 = 0x2274757074756f;
const K_SYSTEM: u64 = 0x226d6574737973;
const K_PROMPT: u64 = 0x2274706d6f7270;
const K_CHOSEN: u64 = 0x226e65736f6863;
const K_HISTORY: u64 = 0x2279726f74736968;
const K_VERSION: u64 = 0x226e6f6973726576;
const K_INSTRUCT: u64 = 0x7463757274736e69;
const K_COMPLETI: u64 = 0x6974656c706d6f63;
const K_REJECTED: u64 = 0x64657463656a6572;
const K_ROLE_4: u64 = 0x656c6f72;
const K_FROM_4: u64 = 0x6d6f7266;
const K_QUESTION: u64 = 0x6e6f697473657571;
const K_QUERY: u64 = 0x227972657571;
const K_PROBLEM: u64 = 0x226d656c626f7270;

// Members that were met.
const HAS_SYSTEM: u32 = 1;
const HAS_INSTRUCTIONS: u32 = 2;
const HAS_INSTRUCTION: u32 = 4;
const HAS_INPUT: u32 = 8;
const HAS_OUTPUT: u32 = 16;
const HAS_HISTORY: u32 = 32;
/** Another form comes first, or a value is none that these forms have. */
const HAS_OTHER: u32 = 64;
const HAS_PROMPT: u32 = 128;
const HAS_COMPLETION: u32 = 256;
const HAS_CHOSEN: u32 = 512;
const HAS_REJECTED: u32 = 1024;
const HAS_PAIR: u32 = HAS_PROMPT | HAS_COMPLETION | HAS_CHOSEN | HAS_REJECTED;
let has: u32 = 0;
/**
 * Those that are not null, and those of them that are no texts; those that messages are made of, so that nothing of
 * them is lost.
 */
let given: u32 = 0;
let noText: u32 = 0;
let used: u32 = 0;
/** There is a list of items; one of messages; a text of the system was written before it. */
let hasItems: bool = false;
let hasList: bool = false;
/** There is a member whose name others give to a prompt. */
let hasQuestion: bool = false;
let isBeside: bool = false;

/**
 * Where the values of these members begin; 0: there is none, or it is null. They are read when the record ends, as all
 * of them tell what each is.
 */
let prompt: usize = 0;
let completion: usize = 0;
let chosen: usize = 0;
let rejected: usize = 0;
/** A text in the member `text`; the member is there. */
let text: usize = 0;
let hasText: bool = false;

/** Whether texts are wanted that may be transcripts. */
let takesTranscripts: bool = false;

export function beginOthers(forms: u32): void {
  takesTranscripts = (forms & FORM_TRANSCRIPTS) != 0;
  beginTexts(takesTranscripts);
  text = 0;
  hasText = false;
  has = given = noText = 0;
  hasItems = hasList = hasQuestion = isBeside = false;
  prompt = completion = chosen = rejected = 0;
  beginBeside();
  beginItems();
}

/** The list of messages begins: the system's text stands before it. */
export function beforeEntries(): void {
  hasList = true;
  if (fromAt(T_SYSTEM) == toAt(T_SYSTEM)) return;
  writeSystem(T_SYSTEM);
  isBeside = true;
}

/** Which member that is known here has its key at p; `keyLength`: with its closing quote. */
let keyLength: usize = 0;
function knownKey(p: usize, isAny: bool): u32 {
  const key = load<u64>(p, 1);
  if ((key & M7) == K_SYSTEM) {
    keyLength = 7;
    return HAS_SYSTEM;
  }
  if (!isAny) return 0;
  if ((key & M6) == K_INPUT) {
    keyLength = 6;
    return HAS_INPUT;
  }
  if ((key & M7) == K_OUTPUT) {
    keyLength = 7;
    return HAS_OUTPUT;
  }
  if (key == K_INSTRUCT) {
    keyLength = 13;
    if ((load<u64>(p, 9) & M5) == 0x22736e6f69) return HAS_INSTRUCTIONS;
    keyLength = 12;
    return load<u32>(p, 9) == 0x226e6f69 ? HAS_INSTRUCTION : 0;
  }
  keyLength = 8;
  return key == K_HISTORY ? HAS_HISTORY : pairKey(p, key);
}

function pairKey(p: usize, key: u64): u32 {
  keyLength = 7;
  if ((key & M7) == K_PROMPT) return HAS_PROMPT;
  if ((key & M7) == K_CHOSEN) return HAS_CHOSEN;
  if (key == K_REJECTED) {
    keyLength = 9;
    return load<u8>(p, 9) == QUOTE ? HAS_REJECTED : 0;
  }
  keyLength = 11;
  return key == K_COMPLETI && (load<u32>(p, 9) & 0xffffff) == 0x226e6f ? HAS_COMPLETION : 0;
}

/** Keeps where the value of a member stands. */
function keepPair(p: usize, bit: u32): void {
  if (bit == HAS_PROMPT) prompt = p;
  else if (bit == HAS_COMPLETION) completion = p;
  else if (bit == HAS_CHOSEN) chosen = p;
  else rejected = p;
}

/** A member that is neither the list of messages, nor tools or an id, from its key's quote. `isAny`: FORM_OTHERS. */
export function memberBeside(p: usize, isAny: bool): usize {
  const bit = knownKey(p, isAny);
  if (bit == 0) {
    const key = load<u64>(p, 1);
    if (key == K_VERSION) markOdd();
    if ((key & M6) == K_QUERY || key == K_PROBLEM || (key == K_QUESTION && load<u8>(p, 9) == QUOTE)) hasQuestion = true;
    if (isAny && (key & M5) == K_TEXT) return textMember(p + 5);
    return countedMember(p, false);
  }
  if ((has & bit) != 0) markOdd();
  has |= bit;
  p = afterKey(p + keyLength);
  if (p == 0) return 0;
  const byte = <u32>load<u8>(p);
  const isNull = load<u32>(p) == NULL_4;
  if (!isNull) {
    given |= bit;
    if (byte != QUOTE) noText |= bit;
  }
  if ((bit & HAS_PAIR) != 0) {
    if (!isNull) keepPair(p, bit);
    return valueEnd(p, IN_RECORD);
  }
  if (byte == QUOTE && bit != HAS_HISTORY) {
    p = keepText(p, textOf(bit));
    // A text of the system stands before the messages.
    if (bit == HAS_SYSTEM && hasList && textFrom != textTo) markOdd();
    return p;
  }
  if ((bit == HAS_INPUT || bit == HAS_OUTPUT) && byte == OPEN_LIST && !hasList) return itemsOf(p, bit == HAS_INPUT);
  const isEmpty = bit == HAS_HISTORY && byte == OPEN_LIST && load<u8>(skipBlanks(p + 1)) == CLOSE_LIST;
  if (!isNull && !isEmpty) {
    if (bit == HAS_SYSTEM) markOdd();
    else has |= HAS_OTHER;
  }
  return valueEnd(p, IN_RECORD);
}

/** The member `text`, from the quote that closes its key. */
function textMember(p: usize): usize {
  p = afterKey(p);
  if (p == 0) return 0;
  if (hasText) markOdd();
  hasText = true;
  if (load<u8>(p) == QUOTE) {
    text = p;
    loseFields(1);
  } else {
    has |= HAS_OTHER;
    if (load<u32>(p) != NULL_4) addFlag(HAS_LOSSES);
  }
  return valueEnd(p, IN_RECORD);
}

function textOf(bit: u32): usize {
  if (bit == HAS_SYSTEM) return T_SYSTEM;
  if (bit == HAS_INSTRUCTIONS) return T_INSTRUCTIONS;
  if (bit == HAS_INSTRUCTION) return T_INSTRUCTION;
  return bit == HAS_INPUT ? T_INPUT : T_OUTPUT;
}

function itemsOf(p: usize, isInput: bool): usize {
  // What comes out is told behind what went in.
  if (isInput && (has & HAS_OUTPUT) != 0) markOdd();
  if (!hasItems && kindAt(T_INSTRUCTIONS) != 0) {
    writeSystem(T_INSTRUCTIONS);
    isBeside = true;
  }
  hasItems = true;
  return itemList(p);
}

/**
 * The record ends. Whether it holds what is read here; what was kept of it is written. `wasList`: there is a list of
 * messages, of ShareGPT or not.
 */
export function endOthers(wasList: bool): bool {
  used = 0;
  const isRead = readRest(wasList);
  const left = given & ~used;
  if ((left & (HAS_SYSTEM | noText)) != 0) addFlag(HAS_LOSSES);
  else loseFields(popcnt<u32>(left));
  return isRead;
}

function readRest(wasList: bool): bool {
  if (wasList) {
    // The list may be what the sides of a preference answer.
    if (hasItems || (chosen != 0 && rejected != 0 && mayAnswer(chosen))) markOdd();
    endEntries();
    return true;
  }
  if (text != 0) {
    if (hasItems) {
      markOdd();
      return true;
    }
    if (!isSaid()) {
      if (takesTranscripts) writeText(text);
      return takesTranscripts;
    }
    const kind = kindAtQuote(text);
    if (mayHoldToken(kind, textFrom, textTo)) {
      if ((kind & CODED) == 0) {
        if (!takesTranscripts) return false;
        if (isOpening(tokenStart(textFrom, textTo))) writeTranscript(text, 0);
        else markOdd();
        return true;
      }
      markOdd();
    }
  }
  if (hasItems) {
    const isText = kindAt(T_INPUT) != 0 || kindAt(T_OUTPUT) != 0;
    const isLate = kindAt(T_INSTRUCTIONS) != 0 && !isBeside;
    if (items == 0 || isText || isLate || (has & (HAS_OTHER | HAS_PAIR)) != 0) markOdd();
    return true;
  }
  if ((has & HAS_PAIR) != 0) return (has & HAS_OTHER) == 0 && writePair();
  if (kindAt(T_INSTRUCTION) == 0 || kindAt(T_OUTPUT) == 0 || (has & HAS_OTHER) != 0) return false;
  used = HAS_SYSTEM | HAS_INSTRUCTION | HAS_INPUT | HAS_OUTPUT | HAS_HISTORY;
  if (fromAt(T_SYSTEM) != toAt(T_SYSTEM)) writeSystem(T_SYSTEM);
  markElsewhere();
  writeAsked();
  writeOutput();
  return true;
}

/** Whether the record says by itself what the member `text` may be made of: without a token, that is a copy of it. */
function isSaid(): bool {
  return (isText(prompt) && isText(completion)) || (kindAt(T_INSTRUCTION) != 0 && kindAt(T_OUTPUT) != 0);
}

/** A message of the system among the others stands for the text beside them. */
function endEntries(): void {
  if (isBeside && !isShareGpt() && systems > 1) markOdd();
}

// @ts-ignore: decorator
@inline
function isList(p: usize): bool { return p != 0 && load<u8>(p) == OPEN_LIST; }
// @ts-ignore: decorator
@inline
function isText(p: usize): bool { return p != 0 && load<u8>(p) == QUOTE; }

/** Whether who says a message, or the first one of a list, may be an assistant. */
function mayAnswer(p: usize): bool {
  if (isList(p)) p = skipBlanks(p + 1);
  if (load<u8>(p) != OPEN_OBJECT) return false;
  for (let key = firstKey(p); key != 0; ) {
    const value = memberValue(key);
    if (isKey(4, K_ROLE_4) || isKey(4, K_FROM_4)) return !asks(value);
    key = nextKey(pass(value));
  }
  return true;
}

/** Whether a role is that of a user or the system. */
function asks(p: usize): bool {
  const word = load<u64>(p, 1);
  return load<u8>(p) == QUOTE && ((word & M5) == 0x2272657375 // user
    || (word & M6) == 0x226e616d7568 // human
    || (word & M7) == 0x226d6574737973); // system
}

/** Whether what a user asks may stand in a text under another name than `prompt`. */
function mayAsk(): bool { return prompt == 0 && (hasQuestion || kindAt(T_INSTRUCTION) != 0 || kindAt(T_INPUT) != 0); }

/** Prompt and completion, or the two sides of a preference. False: they are none that is read here. */
function writePair(): bool {
  if (prompt != 0 && completion != 0) {
    if (isText(prompt) && isText(completion)) {
      writeCompletion();
      return true;
    }
    if (!isList(prompt) || !isList(completion)) return false;
    used = HAS_PROMPT | HAS_COMPLETION;
    markElsewhere();
    writeLists(prompt, completion);
    return true;
  }
  if (isList(chosen) && isList(rejected)) {
    // A prompt that is text is the first message of the lists, too, or stands before an answer.
    if ((isText(prompt) || mayAsk()) && mayAnswer(chosen)) markOdd();
    const before = isList(prompt) ? prompt : 0;
    markElsewhere();
    writeLists(before, chosen);
    const side = row;
    writeLists(before, rejected);
    beginSide(side);
    return true;
  }
  if ((prompt != 0 && !isText(prompt)) || !isText(chosen) || !isText(rejected)) return false;
  if (mayAsk()) markOdd();
  // What begins a turn may be written as codes.
  if (prompt == 0 && ((kindAtQuote(chosen) | kindAtQuote(rejected)) & CODED) != 0) markOdd();
  const isDialogue = prompt == 0 && beginsDialogue(chosen) && beginsDialogue(rejected);
  writeAnswer(chosen, isDialogue);
  const side = row;
  writeAnswer(rejected, isDialogue);
  beginSide(side);
  return true;
}

/** The second side's rows begin at `at`. */
function beginSide(at: usize): void {
  // A developer's message takes definitions in, of one side or of both.
  if (at == row || (flags & HAS_DEVELOPER) != 0) markOdd();
  if (isOdd) return;
  store<u32>(at, load<u32>(at) | BEGINS_SIDE);
  markSides();
}

/** The messages of two lists, the first of which may be missing, as one transcript. */
function writeLists(first: usize, second: usize): void {
  beginMessages();
  beginEntries();
  isBeside = false;
  beforeEntries();
  if (first != 0) entries(first);
  entries(second);
  endEntries();
}

/** The prompt if there is one, and the text of a side, at its quote: an answer, or a dialogue. */
function writeAnswer(side: usize, isDialogue: bool): void {
  beginMessages();
  if (fromAt(T_SYSTEM) != toAt(T_SYSTEM)) writeSystem(T_SYSTEM);
  markElsewhere();
  if (prompt != 0) {
    plainText(prompt, USER);
    writePlain(USER, prompt, textTo + 1, 0, 0, kindOfBody(), textFrom, textTo);
  }
  plainText(side, ASSISTANT);
  if (isDialogue) writeDialogue(side, textFrom, textTo);
  else writeSaid(FINAL, side, textTo + 1, 0, 0, kindOfBody(), textFrom, textTo);
}

/** The text at p, of who has this role. One that holds a token is the text of a transcript, which is for the host. */
function plainText(p: usize, role: u32): void {
  textValue(p, IN_RECORD);
  const kind = kindOfBody();
  refuseTags(role, kind, textFrom, textTo);
  if (mayHoldToken(kind, textFrom, textTo)) markOdd();
}

/** Whether the first `<|` of a text, or without one of the next, looks like a token that a transcript begins with. */
function beginsToken(): bool {
  const at = tokenStart(prompt + 1, endOf(prompt));
  return isOpening(at != 0 ? at : tokenStart(completion + 1, endOf(completion)));
}

/** A prompt and its completion that are texts: in which a token stands, the text of a transcript; else two messages. */
function writeCompletion(): void {
  const kind = kindAtQuote(prompt) | kindAtQuote(completion);
  const joins = load<u8>(endOf(prompt) - 1) == 0x3c && load<u8>(completion + 1) == 0x7c;
  const holdsToken = joins || mayHoldToken(kind, prompt + 1, endOf(prompt))
    || mayHoldToken(kind, completion + 1, endOf(completion));
  if (!holdsToken) {
    used = HAS_PROMPT | HAS_COMPLETION | HAS_SYSTEM;
    writeAnswer(completion, false);
  }
  // What is written with codes, or may be no token, is for the host to find out.
  else if ((kind & CODED) != 0 || !beginsToken()) markOdd();
  else writeTranscript(prompt, completion);
}

/** The quote that ends the text at p. */
function endOf(p: usize): usize {
  textValue(p, IN_RECORD);
  return textTo;
}
