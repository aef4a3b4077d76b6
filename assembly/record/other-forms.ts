// Records whose messages stand under other names than lists of entries: items of Responses (items.ts); `prompt` with
// `completion`; `chosen` and `rejected`, each a transcript of the record; `instruction`, `input`, `output`; questions
// with answers (questions.ts). And the texts of the system that stand beside the messages (beside.ts).

import { ASSISTANT, BEGINS_SIDE, CODED, FINAL, FORM_TRANSCRIPTS, HAS_DEVELOPER, HAS_LOSSES, USER } from '../../src/abi';
import {
  beginBeside, fromAt, keepText, kindAt, T_INPUT, T_INSTRUCTION, T_INSTRUCTIONS, T_OUTPUT, T_SYSTEM, toAt, writeAsked,
  writeOutput, writeSystem,
} from './beside';
import { beginsDialogue, writeDialogue } from './dialogues';
import { entries } from './entries';
import { beginEntries, isShareGpt } from './entry';
import * as K from './keys';
import { beginMessages, systems, writePlain, writeSaid } from './messages';
import { beginItems, itemList, items } from './items';
import { firstKey, isKey, memberValue, nextKey, pass } from './members';
import {
  asks, HAS_CHOSEN, HAS_COMPLETION, HAS_HISTORY, HAS_INPUT, HAS_INSTRUCTION, HAS_INSTRUCTIONS, HAS_OTHER, HAS_OUTPUT,
  HAS_PAIR, HAS_PROBLEM, HAS_PROMPT, HAS_QUESTION, HAS_SYSTEM, knownMember,
} from './other-keys';
import { isOpening, mayHoldToken, tokenStart } from './plain-text';
import { answerTo, beginQuestions, keepQuestion, markUnsure, membersOf, question, systemPrompt } from './questions';
import { addFlag, flags, isOdd, loseFields, markElsewhere, markOdd, markSides, row } from './state';
import { CLOSE_LIST, NULL_4, OPEN_LIST, OPEN_OBJECT, QUOTE, skipBlanks, valueEnd } from './text';
import { countedValue, IN_RECORD, kindOfBody, textFrom, textTo, textValue } from './value';
import { beginTexts, kindAtQuote, writeText, writeTranscript } from './whole-texts';
import { refuseTags } from './written';

/** Members that were met. */
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
  hasItems = hasList = isBeside = false;
  prompt = completion = chosen = rejected = 0;
  beginQuestions();
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

/** Keeps where the value of a member stands. */
function keepPair(p: usize, bit: u32): void {
  if (bit == HAS_PROMPT) prompt = p;
  else if (bit == HAS_COMPLETION) completion = p;
  else if (bit == HAS_CHOSEN) chosen = p;
  else rejected = p;
}

/** A member that is neither the list of messages, nor tools or an id, at its value. `isAny`: FORM_OTHERS. */
export function memberBeside(p: usize, isAny: bool): usize {
  const bit = knownMember(isAny);
  const byte = <u32>load<u8>(p);
  if (bit == 0) {
    if (isKey(7, K.VERSION)) markOdd();
    // What comes before them; a turn; a list that may stand in a text.
    if (K.isExchanged() || isKey(4, K.ROLE) || K.isConversation()) markUnsure();
    return isAny && isKey(4, K.TEXT) ? textMember(p) : countedValue(p, false);
  }
  if ((has & bit) != 0) markOdd();
  has |= bit;
  const isNull = load<u32>(p) == NULL_4;
  if (bit >= HAS_QUESTION && byte != QUOTE) {
    if (!isNull) markUnsure();
    return countedValue(p, false);
  }
  if (!isNull) {
    given |= bit;
    if (byte != QUOTE) noText |= bit;
  }
  if ((bit & HAS_PAIR) != 0) {
    if (!isNull) keepPair(p, bit);
    return valueEnd(p, IN_RECORD);
  }
  if (bit >= HAS_QUESTION) {
    keepQuestion(p, bit);
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

/** The member `text`, at its value. */
function textMember(p: usize): usize {
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
    const isLate = kindAt(T_INSTRUCTIONS) != 0 && !isBeside;
    if (items == 0 || kindAt(T_INPUT) != 0 || isLate || (has & (HAS_OTHER | HAS_PAIR)) != 0) markOdd();
    else if (kindAt(T_OUTPUT) != 0) {
      markElsewhere();
      writeOutput();
    }
    return true;
  }
  if ((has & HAS_OTHER) != 0) return false;
  const pair = has & HAS_PAIR;
  if ((pair & ~HAS_PROMPT) != 0) return writePair();
  if (pair != 0 || kindAt(T_INSTRUCTION) == 0 || kindAt(T_OUTPUT) == 0) return writeExchange();
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
    if (isKey(4, K.ROLE) || isKey(4, K.FROM)) return !asks(value);
    key = nextKey(pass(value));
  }
  return true;
}

/** Whether what a user asks may stand in a text under another name than `prompt`. */
function mayAsk(): bool {
  const isAsked = (has & (HAS_QUESTION | HAS_PROBLEM)) != 0 || kindAt(T_INSTRUCTION) != 0 || kindAt(T_INPUT) != 0;
  return prompt == 0 && isAsked;
}

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

/** Members beside which a question and its answer are not looked for. */
const ASKED_OTHERWISE: u32 = HAS_INSTRUCTIONS | HAS_INSTRUCTION | HAS_INPUT | HAS_OUTPUT | HAS_HISTORY;

/** A question and its answer, both texts. False: there is none, or the host must find out. */
function writeExchange(): bool {
  if ((has & ASKED_OTHERWISE) != 0 || (prompt != 0 && !isText(prompt))) return false;
  const side = answerTo(prompt);
  if (side == 0 || (systemPrompt != 0 && kindAt(T_SYSTEM) != 0)) return false;
  if (prompt == 0) prompt = question;
  if (systemPrompt != 0) keepText(systemPrompt, T_SYSTEM);
  used = HAS_PROMPT | HAS_SYSTEM | membersOf(side);
  writeAnswer(side, false);
  return true;
}

/** The quote that ends the text at p. */
function endOf(p: usize): usize {
  textValue(p, IN_RECORD);
  return textTo;
}
