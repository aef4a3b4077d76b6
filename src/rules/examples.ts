// An example for every rule: a short transcript that breaks it, and the same one as it should be.

import type { RuleName } from '../errors.ts';
import type { PlainReadOptions } from '../model/part-walk.ts';

/** Two texts of a rule: one that breaks it and one that keeps it. */
export interface Example {
  /** Breaks the rule. Bytes where no text can. */
  readonly bad: string | Uint8Array;
  /** Keeps it, and every other rule. */
  readonly good: string;
  /** They are records, one JSON object a line. */
  readonly areRecords?: true;
  /** How both are read; detected when left out. */
  readonly options?: PlainReadOptions;
  /** Other rules that the bad example breaks, too. */
  readonly also?: readonly RuleName[];
  /** Where the rule is softer than its severity says. */
  readonly softer?: string;
}

const HEADER = 'version: 2.2\n---\n';
const USER = '<|start|>user<|message|>Hello<|end|>\n';
const ANSWER = '<|start|>assistant<|channel|>final<|message|>Hi.<|return|>\n';
const CALL = '<|start|>assistant to=functions.f call_id=c1<|channel|>commentary<|constrain|>json<|message|>'
  + '{}<|call|>\n';
const REPLY = '<|start|>tool to=assistant call_id=c1 name=functions.f<|channel|>commentary<|message|>'
  + '{"ok":true}<|end|>\n';
const SHORT_CALL = '<|start|>assistant to=functions.f<|channel|>commentary<|message|>{}<|call|>\n';
const SHORT_REPLY = '<|start|>functions.f to=assistant<|channel|>commentary<|message|>{"ok":true}<|end|>\n';
const TOOLS = '<|start|>developer<|message|># Tools\n\n## functions\n\nnamespace functions {\n'
  + '// Looks a city up.\ntype f = (_: {\ncity: string,\n}) => any;\n} // namespace functions<|end|>\n';
const REQUIRED = 'version: 2.2\nprofiles:\n  harmony:\n    enabled: true\n'
  + '    require_channels: ["analysis","commentary","final"]\n---\n';

const DECLARED = 'version: 2.2\ncapabilities:\n  roles: ["system","user","assistant"]\n---\n';

const LINE_CALLS = '<|im_start|>assistant\n<|function_call|>\n{"name":"f","arguments":{}}\n<|function_call|>\n'
  + '{"name":"g","arguments":{}}\n<|im_end|>\n';
const lineReply = (name: string): string =>
  `<|im_start|>tool\n<|function_output|>\n{"name":"${name}","content":1}\n<|im_end|>\n`;

/** A transcript of 2.2 with a header. */
const text = (...parts: string[]): string => HEADER + parts.join('');

/** The bytes of latin1 text. */
const latin1 = (characters: string): Uint8Array => Uint8Array.from(characters, (character) => character.charCodeAt(0));

const CHANNELS = '<|start|>system<|message|>You are ChatGPT.\n\n# Valid channels: analysis, commentary, final.<|end|>';

/** A message of 0.1. */
const line = (role: string, body: string): string => `<|im_start|>${role}\n${body}<|im_end|>\n`;
const WRITTEN_REPLY = line('user', '<tool_response>\n{"ok": true}\n</tool_response>');

const twoCalls = (second: string): string => CALL + CALL.replace('c1', second);

/** For each rule a text that breaks it and one that keeps it. */
export const EXAMPLES: Readonly<Record<RuleName, Example>> = {
  'missing-header': { bad: USER, good: text(USER) },
  'missing-version': {
    bad: `model: gpt-oss-20b\n---\n${USER}`,
    good: `version: 2.2\nmodel: gpt-oss-20b\n---\n${USER}`,
  },
  'bad-yaml': {
    bad: `version: 2.2\nmodel: "gpt-oss\n---\n${USER}`,
    good: `version: 2.2\nmodel: "gpt-oss"\n---\n${USER}`,
  },
  'duplicate-key': {
    bad: `version: 2.2\nmodel: gpt-oss-20b\nmodel: gpt-oss-120b\n---\n${USER}`,
    good: `version: 2.2\nmodel: gpt-oss-120b\n---\n${USER}`,
  },
  'not-a-mapping': { bad: `---\n- version\n- 2.2\n---\n${USER}`, good: `---\nversion: 2.2\n---\n${USER}` },
  'header-limit': {
    bad: `version: 2.2\nnested: ${'['.repeat(65)}${']'.repeat(65)}\n---\n${USER}`,
    good: `version: 2.2\nnested: ${'['.repeat(4)}${']'.repeat(4)}\n---\n${USER}`,
  },
  'unsupported-version': { bad: `version: 3.0\n---\n${USER}`, good: text(USER) },
  'newer-version': { bad: `version: 2.3\n---\n${USER}`, good: text(USER) },
  'not-utf8': {
    bad: text(USER).replace(/[^]/g, '$&\0'),
    good: text(USER),
    also: ['nothing-found', 'text-between-messages'],
  },
  'missing-role': { bad: text('<|start|><|message|>Hello<|end|>\n'), good: text(USER) },
  'unknown-role': { bad: text('<|start|>robot<|message|>Hello<|end|>\n'), good: text(USER) },
  'stray-word': {
    bad: text('<|start|>user today<|message|>Hello<|end|>\n'),
    good: text(USER),
    softer: 'warning when the word is the role again',
  },
  'duplicate-attribute': {
    bad: text('<|start|>user name=ann name=bob<|message|>Hello<|end|>\n'),
    good: text('<|start|>user name=ann<|message|>Hello<|end|>\n'),
    softer: 'info when both have one value',
  },
  'empty-attribute': {
    bad: text('<|start|>user name=<|message|>Hello<|end|>\n'),
    good: text('<|start|>user name=ann<|message|>Hello<|end|>\n'),
  },
  'duplicate-channel': {
    bad: text('<|start|>assistant<|channel|>analysis<|channel|>final<|message|>Hi.<|end|>\n'),
    good: text('<|start|>assistant<|channel|>final<|message|>Hi.<|end|>\n'),
    softer: 'info when both are the same',
  },
  'unknown-channel': {
    bad: text('<|start|>assistant<|channel|>thoughts<|message|>A greeting.<|end|>\n'),
    good: text('<|start|>assistant<|channel|>analysis<|message|>A greeting.<|end|>\n'),
  },
  'missing-start': { bad: text(USER, '<|channel|>final<|message|>Hi.<|end|>\n'), good: text(USER, ANSWER) },
  'missing-message': {
    bad: text('<|start|>assistant I cannot help with that.<|end|>\n'),
    good: text('<|start|>assistant<|message|>I cannot help with that.<|end|>\n'),
  },
  'stray-token': {
    bad: text('<|start|>user<|message|>What does <|channel|> do?<|end|>\n'),
    good: text('<|start|>user<|message|>What does <<|channel|> do?<|end|>\n'),
    softer: 'warning between messages, and in bodies of a dialect that has no escape',
  },
  'bare-recipient': {
    bad: text('<|start|>assistant call_id=c1<|channel|>commentary functions.f<|message|>{}<|call|>\n', REPLY),
    good: text('<|start|>assistant call_id=c1<|channel|>commentary to=functions.f<|message|>{}<|call|>\n', REPLY),
  },
  'unusual-value': {
    bad: text('<|start|>user name=Zo\u00eb<|message|>Hello<|end|>\n'),
    good: text('<|start|>user name=Zoe<|message|>Hello<|end|>\n'),
  },
  'unknown-intent': {
    bad: text('<|start|>assistant intent=Preamble<|channel|>commentary<|message|>First I look it up.<|end|>\n'),
    good: text('<|start|>assistant intent=preamble<|channel|>commentary<|message|>First I look it up.<|end|>\n'),
  },
  'missing-tool-name': { bad: text(CALL, REPLY.replace(' name=functions.f', '')), good: text(CALL, REPLY) },
  'reply-recipient': {
    bad: `version: 2.0\n---\n${SHORT_CALL}${SHORT_REPLY.replace(' to=assistant', '')}`,
    good: `version: 2.0\n---\n${SHORT_CALL}${SHORT_REPLY}`,
  },
  'return-not-final': {
    bad: text('<|start|>assistant<|channel|>analysis<|message|>A greeting.<|return|>\n'),
    good: text('<|start|>assistant<|channel|>analysis<|message|>A greeting.<|end|>\n', ANSWER),
  },
  'bad-header-value': {
    bad: `version: 2.2\ngeneration_settings:\n  temperature: warm\n---\n${USER}`,
    good: `version: 2.2\ngeneration_settings:\n  temperature: 0.7\n---\n${USER}`,
  },
  undeclared: {
    bad: `${DECLARED}<|start|>developer<|message|>Be brief.<|end|>\n${USER}`,
    good: `${DECLARED}<|start|>system<|message|>Be brief.<|end|>\n${USER}`,
  },
  'missing-channel': {
    bad: `${REQUIRED}<|start|>assistant<|message|>Hi.<|return|>\n`,
    good: `${REQUIRED}<|start|>assistant<|channel|>final<|message|>Hi.<|return|>\n`,
  },
  'missing-end': { bad: text('<|start|>user<|message|>Hello\n', ANSWER), good: text(USER, ANSWER) },
  truncated: { bad: text('<|start|>assistant<|channel|>final<|message|>Hi, I'), good: text(ANSWER) },
  'unterminated-literal': {
    bad: text('<|start|>user<|message|>Print <|literal|><|start|><|end|>\n'),
    good: text('<|start|>user<|message|>Print <|literal|><|start|><|endliteral|><|end|>\n'),
  },
  'invalid-json': {
    bad: text("<|start|>assistant<|channel|>final<|constrain|>json<|message|>{'a': 1}<|return|>\n"),
    good: text('<|start|>assistant<|channel|>final<|constrain|>json<|message|>{"a": 1}<|return|>\n'),
  },
  'invalid-content': {
    bad: text('<|start|>assistant<|channel|>final<|constrain|>digits<|message|>one<|return|>\n'),
    good: text('<|start|>assistant<|channel|>final<|constrain|>digits<|message|>1<|return|>\n'),
    softer: 'arises only where a program registers a check for the type; digits stands for such a type here',
  },
  'missing-call-id': {
    bad: text(CALL.replace(' call_id=c1', ''), REPLY.replace(' call_id=c1', '')),
    good: text(CALL, REPLY),
  },
  'duplicate-call-id': {
    bad: text(twoCalls('c1'), REPLY),
    good: text(twoCalls('c2'), REPLY, REPLY.replace('c1', 'c2')),
    also: ['open-call'],
  },
  'unmatched-reply': {
    bad: text(CALL, REPLY, REPLY.replace('c1', 'c2')),
    good: text(CALL, REPLY),
    softer: 'warning while no call stands before it: the transcript may be an excerpt',
  },
  'duplicate-reply': { bad: text(CALL, REPLY, REPLY), good: text(CALL, REPLY) },
  'call-without-recipient': {
    bad: text('<|start|>assistant<|channel|>commentary<|message|>{}<|call|>\n'),
    good: text(CALL, REPLY),
  },
  'call-channel': {
    bad: text(CALL.replace('commentary', 'analysis'), REPLY),
    good: text(CALL, REPLY),
    softer: 'warning in dialect harmony; nothing in 0.1 and 1.x',
  },
  'call-end': { bad: text(CALL.replace('<|call|>', '<|end|>'), REPLY), good: text(CALL, REPLY) },
  'mixed-call': {
    bad: text(CALL.replace('{}', '{"tool_calls":[{"name":"f"}]}'), REPLY),
    good: text(CALL.replace('{}', '{"name":"f"}'), REPLY),
  },
  'bad-deadline': {
    bad: text(CALL.replace('{}', '{"deadline_ms":-1}'), REPLY),
    good: text(CALL.replace('{}', '{"deadline_ms":500}'), REPLY),
  },
  'reply-order': {
    bad: LINE_CALLS + lineReply('g') + lineReply('f'),
    good: LINE_CALLS + lineReply('f') + lineReply('g'),
  },
  'unknown-tool': {
    bad: text(TOOLS, CALL.replace('functions.f', 'functions.g'), REPLY.replace('functions.f', 'functions.g')),
    good: text(TOOLS, CALL.replace('{}', '{"city":"Oslo"}'), REPLY),
  },
  'invalid-arguments': {
    bad: text(TOOLS, CALL, REPLY),
    good: text(TOOLS, CALL.replace('{}', '{"city":"Oslo"}'), REPLY),
  },
  'bad-call-object': {
    bad: line('assistant', '<tool_call>\n{"name": "f", "arguments": {}\n</tool_call>') + WRITTEN_REPLY,
    good: line('assistant', '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>') + WRITTEN_REPLY,
  },
  'cot-in-final': {
    bad: text('<|start|>assistant<|channel|>final<|message|><|start_reason|>A greeting.<|end_reason|>Hi.<|return|>\n'),
    good: text(
      '<|start|>assistant<|channel|>analysis<|message|><|start_reason|>A greeting.<|end_reason|><|end|>\n',
      ANSWER,
    ),
  },
  'leaked-channel': {
    bad: text('<|start|>assistant<|channel|>final<|message|>Hi.<|channel|>analysis<|message|>A greeting.<|return|>\n'),
    good: text('<|start|>assistant<|channel|>final<|message|>Hi.<|end|>\n'),
    also: ['stray-token'],
  },
  'reasoning-in-final': {
    bad: text('<|start|>assistant<|channel|>final<|message|><think>A greeting.</think>Hi.<|return|>\n'),
    good: text('<|start|>assistant<|channel|>analysis<|message|>A greeting.<|end|>\n', ANSWER),
  },
  'nothing-found': { bad: 'Hello.\n', good: text(USER), also: ['text-between-messages'] },
  'looks-like-harmony': { bad: CHANNELS + USER + ANSWER, good: text(CHANNELS, USER, ANSWER) },
  'text-between-messages': { bad: text(USER, 'Hi there\n', ANSWER), good: text(USER, ANSWER) },
  'invalid-utf8': {
    bad: latin1(text('<|start|>user<|message|>Gr\xfc\xdfe<|end|>\n')),
    good: text('<|start|>user<|message|>Gr\u00fc\u00dfe<|end|>\n'),
    softer: 'error in a header',
  },
  'hint-mismatch': {
    bad: text('<|start|>assistant content_type=json<|channel|>final<|message|>one<|return|>\n'),
    good: text('<|start|>assistant content_type=json<|channel|>final<|message|>1<|return|>\n'),
  },
  'unknown-content-type': {
    bad: text('<|start|>assistant<|channel|>final<|constrain|>csv<|message|>a,b<|return|>\n'),
    good: text('<|start|>assistant<|channel|>final<|constrain|>text<|message|>a,b<|return|>\n'),
  },
  'open-call': { bad: text(CALL), good: text(CALL, REPLY) },
  completion: { bad: '<|channel|>final<|message|>Hi.<|return|>', good: text(USER, ANSWER), also: ['missing-header'] },
  'open-turn': { bad: text(USER, '<|start|>assistant'), good: text(USER, ANSWER) },
  'trailing-terminator': {
    bad: text(USER, '<|start|>assistant<|channel|>final<|message|>Hi.<|end|><|return|>\n'),
    good: text(USER, ANSWER),
  },
  'bad-record': {
    bad: '{"messages":[{"role":"user","content":"Hello"}\n',
    good: '{"messages":[{"role":"user","content":"Hello"}]}\n',
    areRecords: true,
  },
  'unknown-record': {
    bad: '{"chat":[{"role":"user","content":"Hello"}]}\n',
    good: '{"messages":[{"role":"user","content":"Hello"}]}\n',
    areRecords: true,
  },
  'refused-record': {
    bad: '{"messages":[{"role":"robot","content":"Hello"}]}\n',
    good: '{"messages":[{"role":"assistant","content":"Hello"}]}\n',
    areRecords: true,
  },
  'unknown-attribute': {
    bad: text('<|start|>user mood=glad<|message|>Hello<|end|>\n'),
    good: text('<|start|>user name=glad<|message|>Hello<|end|>\n'),
  },
};
