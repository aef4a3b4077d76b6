// What the answer of an output must be, taken from `parse` and `show`: the texts, calls and reasoning of the assistant.
import { isToolRecipient } from '../../../src/model/attributes.ts';
import { parseOn } from '../../../src/model/parse.ts';
import type { ReadOptions } from '../../../src/model/walk.ts';
import { shownText } from '../../../src/model/shown.ts';
import { callFault, readLineCalls } from '../../../src/rules/v01-calls.ts';
import { hiddenByHeader, hiddenReason, type VisibilityOptions } from '../../../src/model/visibility.ts';
import { MemorySource } from '../../../src/scan/source.ts';
import { WasmMachine } from '../../../src/scan/wasm.ts';
import { thoughtOf } from '../stream/run.ts';
import { toolName } from '../../../src/tools/name.ts';

const machine = new WasmMachine();

export type Said =
  | { readonly text: string }
  | { readonly name: string; readonly arguments: string }
  | { readonly reasoning: string };

/** Arguments as values, since those of 0.1 are parts of an object. */
export const asValues = (said: readonly Said[]): unknown[] => said.map((one) => {
  if (!('name' in one)) return one;
  try {
    return { ...one, arguments: JSON.parse(one.arguments) as unknown };
  } catch {
    return one;
  }
});

/** `isExact`: a stream shows the same (it may have shown more before it could know: R-THINK, R-LITERAL). */
export function expectedOf(
  input: Uint8Array, options: ReadOptions & VisibilityOptions & { reasoning?: boolean | undefined },
): { said: Said[]; isExact: boolean } {
  const source = new MemorySource(input);
  const said: Said[] = [];
  const isCompletion = options.role !== undefined;
  let isExact = true;
  let hasSpoken = false;
  let stop: string | null = null;
  for (const transcript of parseOn(machine, input, options).transcripts) {
    for (const message of transcript) {
      const { role, recipient, content, channel, isAmbiguous } = message;
      const isShown = hiddenReason(message, options) === null;
      // What is shown and ends as a call to nobody is none.
      const isNoCall = options.rescue !== undefined && isShown && recipient === null && message.end === 'call';
      const end = isNoCall ? 'end' : message.end;
      const isOpenLiteral = message.openLiteral !== undefined;
      const hasPart = message.writtenThought?.isOpened === false || isOpenLiteral;
      if (role === 'assistant' && (hasPart || options.harmonyPreambles)) isExact = false;
      if (role !== 'assistant') {
        if (isCompletion && hasSpoken) return { said, isExact };
        if (!isCompletion) stop = null;
        continue;
      }
      if (isCompletion && stop === 'return') return { said, isExact };
      hasSpoken = true;
      const isOurs = isToolRecipient(recipient);
      if (stop === 'call' && !isOurs) continue;
      // A call of 0.1 may stand behind what is written of the reasoning that led to it.
      const mayThink = !isOurs && options.reasoning === true && hiddenByHeader(message, options) === null;
      const thought = mayThink ? thoughtOf(message) : '';
      if (thought !== '') said.push({ reasoning: thought });
      if (isOurs) {
        if (!isAmbiguous && !message.isUndispatchable) said.push({ name: toolName(recipient!), arguments: content });
      } else if (isShown) {
        said.push({ text: shownText(message) });
      } else if (channel === 'analysis' && !isAmbiguous && options.reasoning && content !== '') {
        said.push({ reasoning: content });
      }
      if (transcript.dialect === 'openchatml-0.1') {
        for (const call of readLineCalls(message, source)) {
          if (callFault(call, message, machine, source) !== null) continue;
          said.push({ name: toolName(call.name!), arguments: JSON.stringify(call.arguments) });
        }
      }
      if (end === 'call') stop = 'call';
      else if (stop !== 'call') stop = end;
    }
  }
  return { said, isExact };
}
