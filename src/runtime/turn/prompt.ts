// The prompts of a run: which definitions stand in them, and what the model said itself, so that it can be written.

import { HAS_ESCAPE, HAS_LINE } from '../../abi.ts';
import { escapeControlTokens } from '../../formats/control-tokens/escape.ts';
import { type Loss, Refusal } from '../../formats/loss.ts';
import { writePrompt, type WrittenPrompt } from '../../formats/prompt.ts';
import { encodeSegments, writePromptSegments } from '../../formats/segments.ts';
import type { MessageData, ToolDefinition } from '../../model/data.ts';
import { builtinsOf } from '../../model/header/document.ts';
import { type DialectId, DIALECTS } from '../../scan/dialects.ts';
import { isBuiltin } from '../../tools/name.ts';
import { toolsOf } from '../../tools/message.ts';
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
  try {
    if (vocabulary) {
      const { specials } = vocabulary;
      const written = writePromptSegments({ header, tools, messages }, dialect, { ...how, specials });
      return { ...written, ids: encodeSegments(written.segments, vocabulary) };
    }
    const own = withHarmlessTokens(messages, dialect);
    const written = writePrompt({ header, tools, messages: own.messages }, dialect, how);
    return own.losses.length === 0 ? written : { ...written, losses: [...own.losses, ...written.losses] };
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

/**
 * Where bodies hold control tokens as text and the dialect has no escape, a model may say some that it cannot be told
 * again: in what an assistant said they are broken up, `<| message |>`. In 0.1 no body holds a token of its frame.
 */
function withHarmlessTokens(
  messages: readonly MessageData[], dialect: DialectId,
): { messages: readonly MessageData[]; losses: Loss[] } {
  const losses: Loss[] = [];
  if ((DIALECTS[dialect]?.flags ?? HAS_ESCAPE) & (HAS_ESCAPE | HAS_LINE)) return { messages, losses };
  const harmless = messages.map((message, index) => {
    const { role, content } = message;
    if (role !== 'assistant' || typeof content !== 'string' || !content.includes('<|')) return message;
    const escaped = escapeControlTokens(content, { dialect, role, how: 'neutralise' });
    if (escaped === content) return message;
    losses.push({ what: 'field', message: index, detail: 'control tokens that the model said are broken up' });
    return { ...message, content: escaped };
  });
  return { messages: losses.length === 0 ? messages : harmless, losses };
}
