// The prompts of a run: which definitions stand in them, and what the model said itself, so that it can be written.

import { HAS_ESCAPE, HAS_LINE } from '../../abi.ts';
import { convertTranscript } from '../../formats/convert.ts';
import { type Loss, Refusal } from '../../formats/loss.ts';
import { writePrompt, type WrittenPrompt } from '../../formats/prompt.ts';
import { encodeSegments, writePromptSegments, writeSegments } from '../../formats/segments.ts';
import { splitWritten } from '../../formats/written-thoughts.ts';
import type { MessageData, ToolDefinition } from '../../model/data.ts';
import { builtinsOf } from '../../model/header/document.ts';
import { type DialectId, DIALECTS } from '../../scan/dialects.ts';
import { isBuiltin } from '../../tools/name.ts';
import { toolsOf } from '../../tools/message.ts';
import { withBrokenTokens, withHarmlessWords } from './harmless.ts';
import type { TurnPrompt, TurnOptions } from './types.ts';

/** The definitions beside the messages: those that are given, or those of the router that stand in no message. */
export function toolsBeside(
  options: TurnOptions, messages: readonly MessageData[], dialectId: DialectId,
): readonly ToolDefinition[] {
  const { tools, router, header } = options;
  if (tools !== undefined || router.tools.length === 0) return tools ?? [];
  const name = (tool: ToolDefinition): string => `${tool.namespace}.${tool.name}`;
  const known = new Set(
    messages.flatMap(({ role, content }) =>
      typeof content === 'string' ? toolsOf({ role, content, dialectId }).tools.map(name) : []),
  );
  const builtins = builtinsOf(header ?? null);
  return router.tools.filter((tool) => !known.has(name(tool)) && !isBuiltin(name(tool), builtins));
}

/** Throws a RangeError or a TypeError for an option that no prompt can be written with. */
export function checkPromptOptions(options: TurnOptions, dialect: DialectId): void {
  const { system = false } = options;
  if (!Object.hasOwn(DIALECTS, dialect)) {
    throw new RangeError(`option dialect: expected ${Object.keys(DIALECTS).join(', ')}; got ${String(dialect)}`);
  }
  if (system !== false && dialect !== 'harmony') throw new RangeError('option system: only harmony has such a message');
  promptOf([], [], options, dialect);
}

/** A prompt, and its ids where there is a vocabulary. */
export type WrittenTurn = WrittenPrompt & Pick<TurnPrompt, 'ids'>;

/** A Refusal when the dialect cannot carry the messages. */
export function promptOf(
  messages: readonly MessageData[], tools: readonly ToolDefinition[], options: TurnOptions, dialect: DialectId,
): WrittenTurn | Refusal {
  const { header = null, rule, neutralise, system, contentType, vocabulary } = options;
  const how = { rule, neutralise, system, contentType };
  const write = (some: readonly MessageData[]): WrittenTurn => {
    const data = { header, tools, messages: some };
    if (!vocabulary) return writePrompt(data, dialect, how);
    const written = writePromptSegments(data, dialect, { ...how, specials: vocabulary.specials });
    return { ...written, ids: encodeSegments(written.segments, vocabulary) };
  };
  // Bodies are encoded as text where there is a vocabulary; in 0.1 no body holds a token of its frame.
  const hasEscape = vocabulary !== undefined || (DIALECTS[dialect]?.flags ?? HAS_ESCAPE) & (HAS_ESCAPE | HAS_LINE);
  const own = hasEscape ? { messages, losses: [] } : withBrokenTokens(messages, dialect);
  const first = orRefusal(() => write(own.messages));
  if (!(first instanceof Refusal)) return withLosses(own.losses, first);
  const refuses = (some: readonly MessageData[]): boolean => orRefusal(() => {
    const { data } = splitWritten({ header: null, tools: [], messages: some });
    const alone = { neutralise, contentType, asWritten: true };
    if (vocabulary) writeSegments(data, dialect, { ...alone, specials: vocabulary.specials });
    else convertTranscript(data, dialect, alone);
  }) instanceof Refusal;
  const harmless = withHarmlessWords(own.messages, refuses);
  if (harmless === null) return first;
  const second = orRefusal(() => write(harmless.messages));
  return second instanceof Refusal ? second : withLosses([...own.losses, ...harmless.losses], second);
}

function orRefusal<T>(write: () => T): T | Refusal {
  try {
    return write();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

const withLosses = (losses: readonly Loss[], written: WrittenTurn): WrittenTurn =>
  losses.length === 0 ? written : { ...written, losses: [...losses, ...written.losses] };
