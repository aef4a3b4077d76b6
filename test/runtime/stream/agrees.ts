// What a stream must say of an input, taken from `parse`, `show` and `check`.
import { expect } from 'vitest';
import { isToolRecipient } from '../../../src/model/attributes.ts';
import { parseOn } from '../../../src/model/parse.ts';
import type { ReadOptions } from '../../../src/model/walk.ts';
import type { DoneMessage, StreamEvent } from '../../../src/runtime/stream/event.ts';
import { TOKEN_NAMES } from '../../../src/scan/dialects.ts';
import { MemorySource } from '../../../src/scan/source.ts';
import { WasmMachine } from '../../../src/scan/wasm.ts';
import { checkSource } from '../../../src/rules/check-source.ts';
import { hiddenByHeader, hiddenReason, type VisibilityOptions } from '../../../src/model/visibility.ts';
import { shownText } from '../../../src/model/shown.ts';
import { deltasOf, id, thoughtOf } from './run.ts';

const machine = new WasmMachine();

/** What needs a whole body or the messages before, and what only the input's first bytes tell. */
const NOT_STREAMED = new Set([
  'missing-call-id', 'duplicate-call-id', 'unmatched-reply', 'duplicate-reply', 'call-channel', 'unknown-tool',
  'invalid-arguments', 'open-call', 'invalid-content', 'unknown-content-type', 'not-utf8',
  'mixed-call', 'bad-deadline', 'reply-order',
]);

/** What is wrong with a body because it is shown. */
const OF_SHOWN = new Set(['cot-in-final', 'reasoning-in-final', 'leaked-channel']);

type Message = Omit<
  DoneMessage,
  'kind' | 'status' | 'index' | 'transcript' | 'attributes' | 'constrained' | 'isAmbiguous' | 'isUndispatchable'
>;

function readOptionsOf(options: ReadOptions): ReadOptions {
  const { dialect, role, stopStripped, requireChannels, edges, rescue } = options;
  return { dialect, role, stopStripped, requireChannels, edges, rescue, yaml: undefined };
}

const CALLS = /<\|function_call\|>|<tool_call>/;

/** Compares the events of an input (options reasoning and collect are on) with what reading it whole gives. */
export function expectAgreement(
  events: readonly StreamEvent[], input: Uint8Array, options: ReadOptions & VisibilityOptions, told: string,
): void {
  const parsed = parseOn(machine, input, options);
  // A call of a thought that turns out to be one has been told by then, and hides what follows it.
  for (const { writtenThought, isLine, content } of parsed.messages()) {
    if (writtenThought?.isOpened === false && isLine && CALLS.test(content)) return;
  }
  const done = events.flatMap((event) => (event.type === 'response.output_item.done' ? [event.message] : []));
  const expected: Message[] = [];
  const found: Message[] = [];
  const { transcripts } = parsed;
  let index = 0;
  for (const transcript of transcripts) {
    for (const message of transcript) {
      const {
        role, name, recipient, channel, explicitChannel, intent, callId, contentType, from, end, content, isOpenTurn,
      } = message;
      // Where the header lacks its message token, its end is known from the beginning.
      const hasToken = Buffer.from(input.subarray(0, message.body.from)).toString('latin1').endsWith('<|message|>');
      const isPreamble = options.harmonyPreambles === true && end === 'call' && channel === 'commentary' && hasToken;
      const shownAs = isPreamble ? shownPlainly(input, message.body.to, index, options) : null;
      const visible = shownAs !== null || hiddenReason(message, options) === null;
      const trailing = [...message.rowsOf(8)];
      const closing =
        end === 'eof' || end === 'implicit' ? message.to : terminatorTo(message.to, trailing, input, message.body.to);
      const { from: bodyFrom, to: bodyTo } = message.body;
      expected.push({
        role, name, recipient, channel, explicitChannel, intent, callId, contentType, from, bodyFrom, end, to: closing,
        bodyTo, isOpenTurn, visible, content,
      });
      const of = id(index);
      const told2 = `${told}: message ${index}`;
      const shown = deltasOf(events, 'response.delta', of);
      // What stands before a `</think>` alone was told by then.
      const isLate = message.writtenThought?.isOpened === false;
      const hasOpenLiteral = message.openLiteral !== undefined;
      if (!visible) expect(shown, told2).toBe('');
      else if (shownAs !== null) expect(shown, told2).toBe(shownAs);
      else if (isLate) expect(hasOpenLiteral || shown.endsWith(shownText(message)), told2).toBe(true);
      else if (hasOpenLiteral) expect(shown.startsWith(shownText(message)), told2).toBe(true);
      else expect(shown, told2).toBe(shownText(message));
      const isCall = role === 'assistant' && isToolRecipient(recipient);
      const isReasoning = role === 'assistant' && !isCall && channel === 'analysis' && !message.isAmbiguous;
      const mayShow = hiddenByHeader(message, options) === null && role === 'assistant';
      const thought = isReasoning ? content : mayShow ? thoughtOf(message) : '';
      expect(deltasOf(events, 'response.function_call_arguments.delta', of), told2).toBe(isCall ? content : '');
      expect(deltasOf(events, 'response.reasoning_text.delta', of), told2).toBe(thought);
      index++;
    }
  }
  for (const message of done) {
    const {
      role, name, recipient, channel, explicitChannel, intent, callId, contentType, from, end, isOpenTurn, visible, to,
      bodyFrom, bodyTo,
    } = message;
    const content = message.content!;
    found.push({
      role, name, recipient, channel, explicitChannel, intent, callId, contentType, from, bodyFrom, end, to, bodyTo,
      isOpenTurn, visible, content,
    });
  }
  if (JSON.stringify(found) !== JSON.stringify(expected)) expect(found, told).toEqual(expected);
  const begun = events.flatMap((event) => {
    return event.type === 'transcript.begin' ? [`${event.transcript} ${event.dialect} ${event.version}`] : [];
  });
  expect(begun, told)
    .toEqual(transcripts.map((transcript) => `${transcript.number} ${transcript.dialect} ${transcript.version}`));
  const line = (
    d: { severity: string; code: string | null; rule: string; from: number; to: number; transcript: number },
  ): string =>
    `${d.severity} ${d.code} ${d.rule} ${d.from}..${d.to} ${d.transcript}`;
  // What is shown by the caller's leave alone is not for `check`.
  const shows = options.missingChannel === true || options.harmonyPreambles === true;
  const isBoth = ({ rule }: { rule: string }): boolean =>
    !NOT_STREAMED.has(rule) && !(shows && OF_SHOWN.has(rule));
  const streamed = events.flatMap((event) => (event.type === 'diagnostic' ? [event.diagnostic] : []));
  const diagnostics = streamed.filter(isBoth).map(line).sort();
  const whole = checkSource(machine, new MemorySource(input), readOptionsOf(options));
  // Of calls as text a stream tells in what is shown; definitions are for `check`.
  const mayCall = ({ rule, from }: { rule: string; from: number }): boolean => rule !== 'bad-call-object'
    || done.some((it) => it.kind === 'text' && it.role === 'assistant' && it.from <= from && from <= it.bodyTo);
  const checked = [...whole].filter((found) => isBoth(found) && mayCall(found)).map(line).sort();
  if (diagnostics.join('\n') !== checked.join('\n')) expect(diagnostics, told).toEqual(checked);
}

/**
 * What was shown as a preamble stays shown when it turns out to end in `<|call|>`: what is shown of message `index`,
 * were its body to end in `<|end|>`; null: nothing.
 */
function shownPlainly(input: Uint8Array, bodyTo: number, index: number, options: ReadOptions & VisibilityOptions) {
  const rest = input.subarray(bodyTo + '<|call|>'.length);
  const ended = Uint8Array.from([...input.subarray(0, bodyTo), ...Buffer.from('<|end|>'), ...rest]);
  let left = index;
  for (const transcript of parseOn(machine, ended, options).transcripts) {
    for (const message of transcript) {
      if (left-- > 0) continue;
      return hiddenReason(message, options) === null ? shownText(message) : null;
    }
  }
  return null;
}

/** After the terminator, trailing ones apart. */
function terminatorTo(
  to: number, trailing: readonly { from: number; to: number }[], input: Uint8Array, bodyTo: number,
): number {
  if (trailing.length === 0) return to;
  const text = Buffer.from(input.subarray(bodyTo, bodyTo + 24)).toString('latin1');
  const name = TOKEN_NAMES.find((token) => token !== '' && text.trimStart().startsWith(`<|${token}|>`))!;
  return bodyTo + text.indexOf('<|') + name.length + 4;
}
