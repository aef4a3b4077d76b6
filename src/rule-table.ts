// The table of rules: what may be wrong with a transcript. What a diagnostic says stands apart from what explains it:
// bundles that only read leave the second half out.

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

const HEADER = 'E-PARSE-HEADER';
const TRUNCATED = 'E-STREAM-TRUNCATED';
const CONSTRAINT = 'E-BODY-CONSTRAINT-VIOLATION';
const CALL = 'E-CALL-SCHEMA';
const VISIBILITY = 'E-PERM-VISIBILITY';

/** Code, severity and words of each rule. */
export const DIAGNOSES = {
  'missing-header': [HEADER, 'declared', 'the transcript has no document header'],
  'missing-version': [HEADER, 'error', 'the document header has no version'],
  'bad-yaml': [HEADER, 'error', 'the document header is no plain YAML mapping that can be read'],
  'duplicate-key': [HEADER, 'error', 'a key stands twice in the document header'],
  'not-a-mapping': [HEADER, 'error', 'the document header is no mapping'],
  'header-limit': [HEADER, 'error', 'the header is larger than is read'],
  'unsupported-version': [HEADER, 'error', 'the version is none that is known; read as 2.2 or the given dialect'],
  'newer-version': [HEADER, 'warning', 'the version is newer than 2.2; read as 2.2 or the given dialect'],
  'not-utf8': [HEADER, 'error', 'the input looks like UTF-16 or UTF-32'],
  'missing-role': [HEADER, 'error', 'the message has no role'],
  'unknown-role': [HEADER, 'error', 'the role is none that the dialect knows'],
  'stray-word': [HEADER, 'error', 'a word in the header means nothing there'],
  'duplicate-attribute': [HEADER, 'error', 'an attribute stands twice'],
  'empty-attribute': [HEADER, 'error', 'an attribute has no value'],
  'duplicate-channel': [HEADER, 'error', 'the message has more than one channel'],
  'unknown-channel': [HEADER, 'error', 'the channel is none that is known; the message is never shown'],
  'missing-start': [HEADER, 'error', 'the message has no start token'],
  'missing-message': [HEADER, 'error', 'the header is not ended by its message token or newline'],
  'stray-token': [HEADER, 'error', 'a control token stands where it means nothing and is text'],
  'bare-recipient': [HEADER, 'warning', 'a recipient stands without to='],
  'unusual-value': [HEADER, 'warning', 'an attribute value holds control or non-ASCII characters'],
  'unknown-intent': [HEADER, 'warning', 'the intent is none that is known'],
  'missing-tool-name': [HEADER, 'warning', 'the message of a tool does not name the tool'],
  'reply-recipient': [HEADER, 'warning', 'the reply of a tool has no recipient'],
  'return-not-final': [HEADER, 'warning', 'the return token ends something other than an answer'],
  'bad-header-value': [HEADER, 'warning', 'the document header gives a value that is none of its key'],
  undeclared: [HEADER, 'warning', 'the capabilities of the document header leave out what the message has'],
  'missing-channel': ['E-PARSE-CHANNEL-MISSING', 'declared', 'the message has no channel'],
  'missing-end': [TRUNCATED, 'error', 'the next message begins before this one has ended'],
  truncated: [TRUNCATED, 'error', 'the input ends in the message'],
  'unterminated-literal': [TRUNCATED, 'error', 'a literal block is not ended'],
  'invalid-json': [CONSTRAINT, 'error', 'the body is not the JSON that its header declares'],
  'invalid-content': [CONSTRAINT, 'error', 'the body is not of the type that its header declares'],
  'missing-call-id': [CALL, 'declared', 'the call or reply has no call_id'],
  'duplicate-call-id': [CALL, 'error', 'the call_id was used by an earlier call'],
  'unmatched-reply': [CALL, 'error', 'the reply answers no call'],
  'duplicate-reply': [CALL, 'error', 'the call was answered already'],
  'call-without-recipient': [CALL, 'error', 'the message ends as a call and is addressed to no tool'],
  'call-channel': [CALL, 'error', 'the call stands on a channel that is none for it'],
  'call-end': [CALL, 'warning', 'a call to a tool does not end in the call token'],
  'mixed-call': [CALL, 'warning', 'the body of the call holds another form of call'],
  'bad-deadline': [CALL, 'warning', 'the deadline of the call is no number above 0'],
  'reply-order': [CALL, 'warning', 'the replies stand in another order than their calls'],
  'unknown-tool': [CALL, 'error', 'the called tool is not defined'],
  'invalid-arguments': [CALL, 'error', "the arguments do not fit the tool's schema"],
  'bad-call-object': [
    CALL, 'warning', 'a call is no object of a name and arguments, or what is defined is no function',
  ],
  'cot-in-final': [VISIBILITY, 'error', 'a marker of private reasoning stands in what an end user sees'],
  'leaked-channel': [VISIBILITY, 'error', 'what an end user sees goes on in a channel that is hidden'],
  'reasoning-in-final': [VISIBILITY, 'warning', 'what an end user sees holds reasoning that the model wrote as text'],
  'nothing-found': [null, 'warning', 'there is text, and no message in it'],
  'looks-like-harmony': [null, 'info', 'the text looks like Harmony, and is read as OpenChatML 2.2'],
  'text-between-messages': [null, 'warning', 'text stands between messages'],
  'invalid-utf8': [null, 'warning', 'bytes are not valid UTF-8'],
  'hint-mismatch': [null, 'warning', 'the body is not of the type that the header hints at'],
  'unknown-content-type': [null, 'info', 'the content type is none that is checked'],
  'open-call': [null, 'info', 'the call has no reply'],
  completion: [null, 'info', 'the text begins within a message: it completes a prompt'],
  'open-turn': [null, 'info', 'the input ends with a prompt that waits for a completion'],
  'trailing-terminator': [null, 'info', 'a further terminator follows the one that ended the message'],
  'bad-record': [null, 'error', 'the record is no JSON object that can be read'],
  'unknown-record': [null, 'error', 'the record holds no transcript'],
  'refused-record': [null, 'error', 'the chat data of the record cannot be read as a transcript'],
  'unknown-attribute': [null, 'info', 'an attribute is none that the format names; it is kept'],
} as const satisfies Record<string, readonly [code: Code | null, severity: Rule['severity'], text: string]>;

/** The name of a rule, such as `missing-end`; `openchatml explain NAME` says more. */
export type RuleName = keyof typeof DIAGNOSES;

/** Clause and remedy of each, what its span may show, and the remedy in chat data, where that is another one. */
const EXPLANATIONS: Record<
  RuleName, readonly [clause: string, remedy: string, shows?: Rule['shows'] | undefined, inRecords?: string]
> = {
  'missing-header': ['R-NO-HEADER, 2.2 §2', 'begin it with `version: 2.2`'],
  'missing-version': ['R-HEADER-YAML, 2.2 §2', 'add a line `version: 2.2`', 'header'],
  'bad-yaml': [
    'R-HEADER-YAML', 'write `key: value` lines; aliases, tags, complex keys and further documents are refused',
    'header',
  ],
  'duplicate-key': ['R-HEADER-YAML', 'keep one of them', 'header'],
  'not-a-mapping': ['R-HEADER-YAML', 'write `key: value` lines', 'header'],
  'header-limit': [
    'R-HEADER-YAML, R-ATTR',
    'keep headers below 64 KiB, 64 brackets, 64 columns of indentation and 16 list marks in a row', 'header',
  ],
  'unsupported-version': ['R-DETECT', 'declare 1.x, 2.0 or 2.2', 'header'],
  'newer-version': ['R-DETECT', 'declare 2.2', 'header'],
  'not-utf8': ['R-UTF16', 'convert it to UTF-8'],
  'missing-role': ['R-ROLE, 2.2 §6', 'name the role after the start token', 'header'],
  'unknown-role': ['R-ROLE, 2.2 §4', 'use system, developer, user, assistant, tool or functions.<name>', 'word'],
  'stray-word': ['R-STRAY-WORD', 'remove it, or write it as key=value', 'word'],
  'duplicate-attribute': ['R-ATTR-DUP', 'keep one of them', 'word'],
  'empty-attribute': ['R-ATTR-DUP', 'give it one, or remove it', 'word'],
  'duplicate-channel': ['R-CHANNEL, 2.2 §5', 'keep one of them', 'word'],
  'unknown-channel': ['R-CHANNEL, 2.2 §5', 'use analysis, commentary or final', 'word'],
  'missing-start': ['R-IMPLIED-START', 'put <|start|> and the role before it', 'header'],
  'missing-message': ['R-MISSING-MESSAGE', 'end the header with <|message|>, in 0.1 with a newline', 'header'],
  'stray-token': ['R-UNCLOSED', 'remove it, or escape it where the dialect has an escape'],
  'bare-recipient': ['R-CTYPE', 'write to= before it', 'word'],
  'unusual-value': [
    'R-ATTR-UNKNOWN', 'use visible ASCII characters', 'word', 'use visible ASCII characters in names and ids',
  ],
  'unknown-intent': [
    'R-CONFORM, 2.2 §6', 'use preamble, status or debug; a preamble that is misspelt is never shown', 'header',
  ],
  'missing-tool-name': ['R-CONFORM, 2.2 §6', 'add name=<tool> to the header', 'header'],
  'reply-recipient': ['R-CONFORM, 2.0 §6', 'add to=assistant to the header', 'header'],
  'return-not-final': ['R-CONFORM, 2.2 §3', 'end it with <|end|>, a call with <|call|>', 'header'],
  'bad-header-value': [
    'R-CONFORM, 2.2 §2',
    'give what 2.2 §2 names: `version: 2.2`, `temperature: 0.7`, `reasoning_effort: low`, `builtin_tools: ["browser"]`',
    'header',
  ],
  undeclared: ['R-CONFORM, 2.2 §2', 'name it in the list, or use what stands there', 'header'],
  'missing-channel': ['R-CHANNEL-MISSING, 2.2 §12', 'name analysis, commentary or final', 'header'],
  'missing-end': ['R-UNCLOSED', 'end the message with <|end|>, in 0.1 with <|im_end|>'],
  truncated: ['R-UNCLOSED, 2.2 §9', 'complete the message, or say that its stop token was stripped'],
  'unterminated-literal': ['R-LITERAL', 'end it with <|endliteral|>'],
  'invalid-json': [
    'R-CONSTRAINT, 2.2 §6', 'write one JSON value (RFC 8259) and nothing else', undefined,
    'let the arguments be one JSON value (RFC 8259) and nothing else',
  ],
  'invalid-content': ['R-CONSTRAINT, 2.2 §6', 'write what the type asks for, or declare another one'],
  'missing-call-id': [
    'R-CALL, 2.2 §8.2', 'add call_id=<id> to the header', undefined,
    'add an `id` member to the call, a `tool_call_id` member to the reply',
  ],
  'duplicate-call-id': [
    'R-CALL, 2.2 §8.2', 'give every call an id of its own', undefined, 'give every call an `id` of its own',
  ],
  'unmatched-reply': [
    'R-CALL, 2.2 §8.2', 'echo the call_id of the call', undefined, 'give the `id` of the call as `tool_call_id`',
  ],
  'duplicate-reply': ['R-CALL, 2.2 §8.2', 'reply once to each call'],
  'call-without-recipient': ['R-CALL, 2.2 §6', 'add to=<tool> to the header, or end it with <|end|>'],
  'call-channel': ['R-CALL, 2.2 §8.3', 'call functions on commentary, builtin tools on analysis or commentary'],
  'call-end': ['R-CONFORM, 2.2 §6', 'end it with <|call|>', 'header'],
  'mixed-call': ['R-CONFORM, 2.2 §6', 'give the arguments alone'],
  'bad-deadline': ['R-CONFORM, 2.2 §8.2', 'give milliseconds as a number above 0, or leave deadline_ms out'],
  'reply-order': ['R-CONFORM, 0.1 ext. §8.4', 'give them in the order of the calls'],
  'unknown-tool': [
    'R-CALL, R-TOOLS', 'define it, or call a defined one', undefined, 'define it in `tools`, or call a defined one',
  ],
  'invalid-arguments': ['R-CALL, R-TOOLS', 'pass what the definition of the tool asks for'],
  'bad-call-object': [
    'R-HERMES, R-CONFORM',
    'write {"name": …, "arguments": {…}}, and define {"type": "function", …}; end <tool_call> with </tool_call>',
  ],
  'cot-in-final': [
    'R-COT, 2.2 §7', 'move the reasoning to the analysis channel', undefined,
    'move the reasoning to a `thinking` member',
  ],
  'leaked-channel': ['R-LEAK', 'end the message with <|end|>, and begin the next one with <|start|>assistant'],
  'reasoning-in-final': [
    'R-THINK', 'nothing, when it is meant: readers hide it; `convert` moves it to the analysis channel',
  ],
  'nothing-found': [
    'R-LIKELY', 'give OpenChatML or Harmony text, or chat records; --form and --field say where records hold it',
  ],
  'looks-like-harmony': ['R-LIKELY', 'read it with --dialect harmony, or begin it with `version: 2.2`', 'header'],
  'text-between-messages': ['R-GAP', 'remove it, or put it into a message'],
  'invalid-utf8': ['R-UTF8', 'write the text as UTF-8'],
  'hint-mismatch': ['R-CONSTRAINT', 'mend the body, or drop the hint'],
  'unknown-content-type': ['R-CONSTRAINT', 'nothing, when it is meant'],
  'open-call': ['R-CALL', 'nothing, when it is still to come'],
  completion: ['R-IMPLIED-START', 'nothing is wrong', 'header'],
  'open-turn': ['R-OPEN-TURN', 'nothing is wrong', 'header'],
  'trailing-terminator': ['R-END', 'remove it'],
  'bad-record': ['R-DIAG', 'write one JSON object a line, or one list of them, in UTF-8; split what is too large'],
  'unknown-record': [
    'R-DIAG', 'give messages, conversations, text, or prompt with completion; or name the field with --field',
  ],
  'refused-record': ['R-REFUSE', 'mend the message that is named'],
  'unknown-attribute': ['R-ATTR-UNKNOWN', 'nothing, when it is meant', 'word'],
};

/** Every rule, one row each. */
export const RULES = /* @__PURE__ */ rules();

function rules(): Readonly<Record<RuleName, Rule>> {
  const names = Object.keys(DIAGNOSES) as RuleName[];
  return Object.fromEntries(names.map((name) => {
    const [code, severity, text] = DIAGNOSES[name];
    const [clause, remedy, shows, inRecords] = EXPLANATIONS[name];
    return [name, { code, severity, clause, text, remedy, ...(shows && { shows }), ...(inRecords && { inRecords }) }];
  })) as Record<RuleName, Rule>;
}
