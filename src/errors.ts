// Codes, rules and diagnostics: what may be wrong with a transcript, and how it is told. Lines and columns are found on
// demand.

import { characterLength, countCodePoints } from './utf8.ts';

/** The eight codes of OpenChatML 2.2 §14; null: a finding that none of them covers. */
export type Code =
  | 'E-PARSE-HEADER'
  | 'E-PARSE-CHANNEL-MISSING'
  | 'E-BODY-CONSTRAINT-VIOLATION'
  | 'E-CALL-SCHEMA'
  | 'E-TOOL-TIMEOUT'
  | 'E-TOOL-CANCELLED'
  | 'E-STREAM-TRUNCATED'
  | 'E-PERM-VISIBILITY';

/** How bad a finding is: only an `error` makes `openchatml check` fail. */
export type Severity = 'error' | 'warning' | 'info';

/**
 * What is wrong at one place of an input (R-DIAG): a rule, its severity, a span in bytes and a sentence that quotes
 * nothing hidden.
 */
export interface Diagnostic {
  readonly code: Code | null;
  readonly rule: RuleName;
  readonly severity: Severity;
  /** Byte positions in the input, half open. */
  readonly from: number;
  readonly to: number;
  /** Number of the transcript, from 0. */
  readonly transcript: number;
  /** A sentence; holds nothing of a body. */
  readonly message: string;
}

/** What is known of a rule: its code of 2.2 §14 (null: none covers it), its severity, its clause and its words. */
export interface Rule {
  readonly code: Code | null;
  /** The severity when nothing softens it; `declared`: an error where the version was declared, else a warning. */
  readonly severity: Severity | 'declared';
  /** Where it comes from: a ruling, or a section of a document. */
  readonly clause: string;
  /** What is wrong, as the message says it. */
  readonly text: string;
  /** What to do. */
  readonly remedy: string;
  /** What its span is, where it may be shown: a header of a message or document, or a word of one. Bodies never are. */
  readonly shows?: 'header' | 'word';
  /** What to do in chat data, where that is something else. */
  readonly inRecords?: string;
}

function rule(
  code: Code | null, severity: Rule['severity'], clause: string, text: string, remedy: string, shows?: Rule['shows'],
  inRecords?: string,
): Rule {
  return { code, severity, clause, text, remedy, ...(shows && { shows }), ...(inRecords && { inRecords }) };
}

const HEADER = 'E-PARSE-HEADER';
const TRUNCATED = 'E-STREAM-TRUNCATED';
const CONSTRAINT = 'E-BODY-CONSTRAINT-VIOLATION';
const CALL = 'E-CALL-SCHEMA';

/** Every rule, one row each. */
export const RULES = {
  'missing-header': rule(HEADER, 'declared', 'R-NO-HEADER, 2.2 §2', 'the transcript has no document header',
    'begin it with `version: 2.2`'),
  'missing-version': rule(HEADER, 'error', 'R-HEADER-YAML, 2.2 §2', 'the document header has no version',
    'add a line `version: 2.2`', 'header'),
  'bad-yaml': rule(HEADER, 'error', 'R-HEADER-YAML', 'the document header is no plain YAML mapping that can be read',
    'write `key: value` lines; aliases, tags, complex keys and further documents are refused', 'header'),
  'duplicate-key': rule(HEADER, 'error', 'R-HEADER-YAML', 'a key stands twice in the document header',
    'keep one of them', 'header'),
  'not-a-mapping': rule(HEADER, 'error', 'R-HEADER-YAML', 'the document header is no mapping',
    'write `key: value` lines', 'header'),
  'header-limit': rule(HEADER, 'error', 'R-HEADER-YAML, R-ATTR', 'the header is larger than is read',
    'keep headers below 64 KiB, 64 brackets, 64 columns of indentation and 16 list marks in a row', 'header'),
  'unsupported-version': rule(HEADER, 'error', 'R-DETECT', 'the version is none that is known; read as 2.2',
    'declare 1.x, 2.0 or 2.2', 'header'),
  'newer-version': rule(HEADER, 'warning', 'R-DETECT', 'the version is newer than 2.2; read as 2.2',
    'declare 2.2', 'header'),
  'not-utf8': rule(HEADER, 'error', 'R-UTF16', 'the input looks like UTF-16 or UTF-32', 'convert it to UTF-8'),
  'missing-role': rule(HEADER, 'error', 'R-ROLE, 2.2 §6', 'the message has no role',
    'name the role after the start token', 'header'),
  'unknown-role': rule(HEADER, 'error', 'R-ROLE, 2.2 §4', 'the role is none that the dialect knows',
    'use system, developer, user, assistant, tool or functions.<name>', 'word'),
  'stray-word': rule(HEADER, 'error', 'R-STRAY-WORD', 'a word in the header means nothing there',
    'remove it, or write it as key=value', 'word'),
  'duplicate-attribute': rule(HEADER, 'error', 'R-ATTR-DUP', 'an attribute stands twice', 'keep one of them', 'word'),
  'empty-attribute': rule(HEADER, 'error', 'R-ATTR-DUP', 'an attribute has no value',
    'give it one, or remove it', 'word'),
  'duplicate-channel': rule(HEADER, 'error', 'R-CHANNEL, 2.2 §5', 'the message has more than one channel',
    'keep one of them', 'word'),
  'unknown-channel': rule(HEADER, 'error', 'R-CHANNEL, 2.2 §5', 'the channel is none that is known; the message is '
    + 'never shown',
    'use analysis, commentary or final', 'word'),
  'missing-start': rule(HEADER, 'error', 'R-IMPLIED-START', 'the message has no start token',
    'put <|start|> and the role before it', 'header'),
  'missing-message': rule(HEADER, 'error', 'R-MISSING-MESSAGE', 'the header is not ended by its message token or '
    + 'newline',
    'end the header with <|message|>, in 0.1 with a newline', 'header'),
  'stray-token': rule(HEADER, 'error', 'R-UNCLOSED', 'a control token stands where it means nothing and is text',
    'remove it, or escape it where the dialect has an escape'),
  'bare-recipient': rule(HEADER, 'warning', 'R-CTYPE', 'a recipient stands without to=', 'write to= before it', 'word'),
  'unusual-value': rule(HEADER, 'warning', 'R-ATTR-UNKNOWN', 'an attribute value holds control or non-ASCII characters',
    'use visible ASCII characters', 'word', 'use visible ASCII characters in names and ids'),
  'unknown-intent': rule(HEADER, 'warning', 'R-CONFORM, 2.2 §6', 'the intent is none that is known',
    'use preamble, status or debug; a preamble that is misspelt is never shown', 'header'),
  'missing-tool-name': rule(HEADER, 'warning', 'R-CONFORM, 2.2 §6', 'the message of a tool does not name the tool',
    'add name=<tool> to the header', 'header'),
  'reply-recipient': rule(HEADER, 'warning', 'R-CONFORM, 2.0 §6', 'the reply of a tool has no recipient',
    'add to=assistant to the header', 'header'),
  'return-not-final': rule(HEADER, 'warning', 'R-CONFORM, 2.2 §3', 'the return token ends something other than an '
    + 'answer',
    'end it with <|end|>, a call with <|call|>', 'header'),
  'bad-header-value': rule(HEADER, 'warning', 'R-CONFORM, 2.2 §2', 'the document header gives a value that is none '
    + 'of its key',
    'give what 2.2 §2 names: `version: 2.2`, `temperature: 0.7`, `reasoning_effort: low`, `builtin_tools: ["browser"]`',
    'header'),
  undeclared: rule(HEADER, 'warning', 'R-CONFORM, 2.2 §2', 'the capabilities of the document header leave out what '
    + 'the message has',
    'name it in the list, or use what stands there', 'header'),
  'missing-channel': rule('E-PARSE-CHANNEL-MISSING', 'declared', 'R-CHANNEL-MISSING, 2.2 §12', 'the message has no '
    + 'channel',
    'name analysis, commentary or final', 'header'),
  'missing-end': rule(TRUNCATED, 'error', 'R-UNCLOSED', 'the next message begins before this one has ended',
    'end the message with <|end|>, in 0.1 with <|im_end|>'),
  truncated: rule(TRUNCATED, 'error', 'R-UNCLOSED, 2.2 §9', 'the input ends in the message',
    'complete the message, or say that its stop token was stripped'),
  'unterminated-literal': rule(
    TRUNCATED, 'error', 'R-LITERAL', 'a literal block is not ended', 'end it with <|endliteral|>',
  ),
  'invalid-json': rule(CONSTRAINT, 'error', 'R-CONSTRAINT, 2.2 §6', 'the body is not the JSON that its header declares',
    'write one JSON value (RFC 8259) and nothing else', undefined,
    'let the arguments be one JSON value (RFC 8259) and nothing else'),
  'invalid-content': rule(
    CONSTRAINT,
    'error',
    'R-CONSTRAINT, 2.2 §6',
    'the body is not of the type that its header declares',
    'write what the type asks for, or declare another one',
  ),
  'missing-call-id': rule(CALL, 'declared', 'R-CALL, 2.2 §8.2', 'the call or reply has no call_id',
    'add call_id=<id> to the header', undefined,
    'add an `id` member to the call, a `tool_call_id` member to the reply'),
  'duplicate-call-id': rule(CALL, 'error', 'R-CALL, 2.2 §8.2', 'the call_id was used by an earlier call',
    'give every call an id of its own', undefined, 'give every call an `id` of its own'),
  'unmatched-reply': rule(CALL, 'error', 'R-CALL, 2.2 §8.2', 'the reply answers no call',
    'echo the call_id of the call', undefined, 'give the `id` of the call as `tool_call_id`'),
  'duplicate-reply': rule(
    CALL, 'error', 'R-CALL, 2.2 §8.2', 'the call was answered already', 'reply once to each call',
  ),
  'call-without-recipient': rule(
    CALL,
    'error',
    'R-CALL, 2.2 §6',
    'the message ends as a call and is addressed to no tool',
    'add to=<tool> to the header, or end it with <|end|>',
  ),
  'call-channel': rule(CALL, 'error', 'R-CALL, 2.2 §8.3', 'the call stands on a channel that is none for it',
    'call functions on commentary, builtin tools on analysis or commentary'),
  'call-end': rule(CALL, 'warning', 'R-CONFORM, 2.2 §6', 'a call to a tool does not end in the call token',
    'end it with <|call|>', 'header'),
  'mixed-call': rule(CALL, 'warning', 'R-CONFORM, 2.2 §6', 'the body of the call holds another form of call',
    'give the arguments alone'),
  'bad-deadline': rule(CALL, 'warning', 'R-CONFORM, 2.2 §8.2', 'the deadline of the call is no number above 0',
    'give milliseconds as a number above 0, or leave deadline_ms out'),
  'reply-order': rule(CALL, 'warning', 'R-CONFORM, 0.1 ext. §8.4', 'the replies stand in another order than their '
    + 'calls',
    'give them in the order of the calls'),
  'unknown-tool': rule(CALL, 'error', 'R-CALL, R-TOOLS', 'the called tool is not defined',
    'define it, or call a defined one', undefined, 'define it in `tools`, or call a defined one'),
  'invalid-arguments': rule(CALL, 'error', 'R-CALL, R-TOOLS', "the arguments do not fit the tool's schema",
    'pass what the definition of the tool asks for'),
  'bad-call-object': rule(CALL, 'warning', 'R-HERMES, R-CONFORM',
    'a call is no object of a name and arguments, or what is defined is no function',
    'write {"name": …, "arguments": {…}}, and define {"type": "function", …}; end <tool_call> with </tool_call>'),
  'cot-in-final': rule(
    'E-PERM-VISIBILITY',
    'error',
    'R-COT, 2.2 §7',
    'a marker of private reasoning stands in what an end user sees',
    'move the reasoning to the analysis channel',
    undefined,
    'move the reasoning to a `thinking` member',
  ),
  'leaked-channel': rule(
    'E-PERM-VISIBILITY', 'error', 'R-LEAK', 'what an end user sees goes on in a channel that is hidden',
    'end the message with <|end|>, and begin the next one with <|start|>assistant',
  ),
  'reasoning-in-final': rule(
    'E-PERM-VISIBILITY',
    'warning',
    'R-THINK',
    'what an end user sees holds reasoning that the model wrote as text',
    'nothing, when it is meant: readers hide it; `convert` moves it to the analysis channel',
  ),
  'nothing-found': rule(null, 'warning', 'R-LIKELY', 'there is text, and no message in it',
    'give OpenChatML or Harmony text, or chat records; --form and --field say where records hold it'),
  'looks-like-harmony': rule(null, 'info', 'R-LIKELY', 'the text looks like Harmony, and is read as OpenChatML 2.2',
    'read it with --dialect harmony, or begin it with `version: 2.2`', 'header'),
  'text-between-messages': rule(
    null, 'warning', 'R-GAP', 'text stands between messages', 'remove it, or put it into a message',
  ),
  'invalid-utf8': rule(null, 'warning', 'R-UTF8', 'bytes are not valid UTF-8', 'write the text as UTF-8'),
  'hint-mismatch': rule(null, 'warning', 'R-CONSTRAINT', 'the body is not of the type that the header hints at',
    'mend the body, or drop the hint'),
  'unknown-content-type': rule(
    null, 'info', 'R-CONSTRAINT', 'the content type is none that is checked', 'nothing, when it is meant',
  ),
  'open-call': rule(null, 'info', 'R-CALL', 'the call has no reply', 'nothing, when it is still to come'),
  completion: rule(null, 'info', 'R-IMPLIED-START', 'the text begins within a message: it completes a prompt',
    'nothing is wrong', 'header'),
  'open-turn': rule(null, 'info', 'R-OPEN-TURN', 'the input ends with a prompt that waits for a completion',
    'nothing is wrong', 'header'),
  'trailing-terminator': rule(
    null, 'info', 'R-END', 'a further terminator follows the one that ended the message', 'remove it',
  ),
  'bad-record': rule(null, 'error', 'R-DIAG', 'the record is no JSON object that can be read',
    'write one JSON object a line, in UTF-8'),
  'unknown-record': rule(null, 'error', 'R-DIAG', 'the record holds no transcript',
    'give messages, conversations, text, or prompt with completion; or name the field with --field'),
  'refused-record': rule(null, 'error', 'R-REFUSE', 'the chat data of the record cannot be read as a transcript',
    'mend the message that is named'),
  'unknown-attribute': rule(null, 'info', 'R-ATTR-UNKNOWN', 'an attribute is none that the format names; it is kept',
    'nothing, when it is meant', 'word'),
} as const satisfies Record<string, Rule>;

/** The name of a rule, such as `missing-end`; `openchatml explain NAME` says more. */
export type RuleName = keyof typeof RULES;

/** A finding before it becomes a diagnostic: the rule, its place, and what differs from the rule's row. */
export interface Finding {
  readonly rule: RuleName;
  readonly from: number;
  readonly to: number;
  /** Where the severity is softer than the rule's. */
  readonly severity?: Severity;
  /** Further words for the message; never anything of a body. */
  readonly detail?: string;
}

/** Takes a finding. */
export type Tell = (finding: Finding) => void;

/** The diagnostic of a finding. `declared`: the version was declared (R-DIAG). */
export function diagnose(finding: Finding, transcript: number, declared: boolean): Diagnostic {
  const { code, severity, text } = RULES[finding.rule];
  return {
    code,
    rule: finding.rule,
    severity: finding.severity ?? (severity === 'declared' ? (declared ? 'error' : 'warning') : severity),
    from: finding.from,
    to: finding.to,
    transcript,
    message: finding.detail ? `${text}: ${finding.detail}` : text,
  };
}

/** A place as people count: line and column from 1; columns are code points. */
export interface Place {
  /** From 1; lines end at LF. */
  readonly line: number;
  /** From 1, in code points; a byte order mark at the beginning of the input counts none. */
  readonly column: number;
}

/**
 * Bytes between two places that are remembered, at first; and how many are. When there are more, every second one is
 * forgotten.
 */
const STEP = 65536;
const REMEMBERED = 4096;

interface Remembered extends Place {
  readonly at: number;
  /** The bytes before it that begin a character which goes on behind it; they count as one. */
  readonly cut: Uint8Array;
}

const NOTHING = new Uint8Array(0);
const BEGINNING: Remembered = { at: 0, line: 1, column: 1, cut: NOTHING };

/** How line feeds and code points are counted. */
export interface LineCounting {
  lines(part: Uint8Array): number;
  codePoints(part: Uint8Array): number;
}

const PLAIN_COUNTING: LineCounting = {
  lines(part) {
    let count = 0;
    for (let lf = part.indexOf(LF); lf >= 0; lf = part.indexOf(LF, lf + 1)) count++;
    return count;
  },
  codePoints: (part) => countCodePoints(part, 0, part.length),
};

/**
 * Finds lines and columns of byte positions. Goes forward through the input while positions rise; for an earlier
 * position the bytes since the nearest remembered place are read again. A part is read at a time, so that a line may be
 * of any length.
 *
 * @example
 * ```ts
 * import { Lines } from 'openchatml';
 *
 * const bytes = new TextEncoder().encode('a\nbc');
 * const { line, column } = new Lines((from, to) => bytes.subarray(from, to)).at(3);
 * console.log(line, column); // 2 2
 * ```
 */
export class Lines {
  readonly #bytes: (from: number, to: number) => Uint8Array;
  readonly #counting: LineCounting;
  #line = 1;
  #column = 1;
  #at: number;
  #cut: Uint8Array = NOTHING;
  #remembered: Remembered[];
  #step = STEP;

  /** `bytes` gives the bytes of a span of the input. `from`: the position that lines and columns are counted from. */
  constructor(bytes: (from: number, to: number) => Uint8Array, from = 0, counting: LineCounting = PLAIN_COUNTING) {
    this.#bytes = bytes;
    this.#counting = counting;
    this.#at = from;
    this.#remembered = [{ ...BEGINNING, at: from }];
  }

  /** The place of a byte position. */
  at(position: number): Place {
    if (position < this.#at) this.#goBack(position);
    while (this.#at < position) {
      const part = this.#bytes(this.#at, Math.min(position, this.#at + PART));
      if (part.length === 0) break;
      this.#advance(part);
      if (this.#at >= this.#remembered.at(-1)!.at + this.#step) this.#remember();
    }
    return { line: this.#line, column: this.#column };
  }

  /** Bytes before this position cannot be read again: no earlier place will be asked for. */
  forget(before: number): void {
    this.at(before);
    this.#remembered = this.#remembered.filter((place) => place.at > before);
    this.#remembered.unshift(this.#here);
  }

  get #here(): Remembered {
    return { at: this.#at, line: this.#line, column: this.#column, cut: this.#cut };
  }

  #remember(): void {
    this.#remembered.push(this.#here);
    if (this.#remembered.length <= REMEMBERED) return;
    this.#remembered = this.#remembered.filter((_, i) => i % 2 === 0);
    this.#step *= 2;
  }

  #goBack(position: number): void {
    let low = 0;
    let high = this.#remembered.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.#remembered[middle]!.at <= position) low = middle;
      else high = middle;
    }
    ({ at: this.#at, line: this.#line, column: this.#column, cut: this.#cut } = this.#remembered[low]!);
  }

  #advance(part: Uint8Array): void {
    const isMarked = this.#at === 0 && part[0] === 0xef && part[1] === 0xbb && part[2] === 0xbf;
    const rest = part.subarray(isMarked ? 3 : this.#restOfCut(part));
    const lines = this.#counting.lines(rest);
    if (lines > 0) {
      this.#line += lines;
      this.#column = 1;
    }
    const last = lines > 0 ? rest.subarray(rest.lastIndexOf(LF) + 1) : rest;
    this.#column += this.#counting.codePoints(last);
    this.#cut = rest.length > 0 ? last.slice(wholeCharacters(last)) : this.#cut;
    this.#at += part.length;
  }

  /** How many bytes of a part belong to the character that the part before has begun, which is counted. */
  #restOfCut(part: Uint8Array): number {
    const cut = this.#cut;
    if (cut.length === 0) return 0;
    const joined = Uint8Array.from([...cut, ...part.subarray(0, MOST_BYTES)]);
    const length = Math.abs(characterLength(joined, 0, joined.length));
    // A part of a byte or two may leave it open.
    this.#cut = length === joined.length && wholeCharacters(joined) === 0 ? joined : NOTHING;
    return length - cut.length;
  }
}

const LF = 0x0a;
const PART = 65536;
/** Of a character. */
const MOST_BYTES = 4;

/** Length of `part` without a character that is cut at its end. */
function wholeCharacters(part: Uint8Array): number {
  for (let at = Math.max(0, part.length - 3); at < part.length; at++) {
    if (part[at]! >= 0xc2 && at - characterLength(part, at, part.length) === part.length) return at;
  }
  return part.length;
}
