// What the model said, so that it can be written into its next prompt: the run does not end for a word that no header
// carries, or for tokens that the dialect cannot quote. What users and tools said is refused as ever.

import { escapeControlTokens } from '../../formats/control-tokens/escape.ts';
import type { Loss } from '../../formats/loss.ts';
import { withoutWritten } from '../../formats/written-thoughts.ts';
import { isToolRecipient, knownRole } from '../../model/attributes.ts';
import type { MessageData } from '../../model/data.ts';
import { isCall } from '../../rules/message-data.ts';
import type { DialectId } from '../../scan/dialects.ts';

/** Messages as they are written, and what was changed. */
export interface Harmless {
  readonly messages: readonly MessageData[];
  readonly losses: Loss[];
}

/**
 * For a dialect without an escape: control tokens in what the model said are broken up, `<| message |>`. Reasoning that
 * it wrote as text is a message of its own by then, as its places are those of the text that was said.
 */
export function withBrokenTokens(messages: readonly MessageData[], dialect: DialectId): Harmless {
  const losses: Loss[] = [];
  const harmless = messages.flatMap((message, index): readonly MessageData[] => {
    const { role, content } = message;
    if (role !== 'assistant' || typeof content !== 'string' || !content.includes('<|')) return [message];
    const broken = (text: string): string => escapeControlTokens(text, { dialect, role, how: 'neutralise' });
    if (broken(content) === content) return [message];
    losses.push({ what: 'field', message: index, detail: 'control tokens that the model said are broken up' });
    const parts = message.written ? withoutWritten(message, index, losses) : [message];
    return parts.map((part) => ({ ...part, content: broken(part.content) }));
  });
  return losses.length === 0 ? { messages, losses } : { messages: harmless, losses };
}

/** Units of a word in a header: longer ones are no names. */
const LONGEST_WORD = 200;
const ODD = /[^A-Za-z0-9_.:-]/g;

/**
 * Messages of which all that the model said can be written; null: nothing of it is in the way. `refuses`: whether some
 * messages cannot be written by themselves.
 */
export function withHarmlessWords(
  messages: readonly MessageData[], refuses: (some: readonly MessageData[]) => boolean,
): Harmless | null {
  const replies = repliesOf(messages);
  const harmless: (MessageData | null)[] = [...messages];
  const losses: Loss[] = [];
  const ids = new Set(messages.flatMap(({ callId }) => callId || []));
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'assistant' || typeof message.content !== 'string') continue;
    const at = replies.get(message);
    const reply = at === undefined ? null : messages[at]!;
    const isRefused = (said: MessageData, told: MessageData | null): boolean => refuses(told ? [said, told] : [said]);
    if (isPlain(message) && !isRefused(message, reply && { ...reply, content: 'x' })) continue;
    const words = withPlainWords(message, ids);
    const name = reply?.name == null ? undefined : plainRecipient(reply.name);
    const told = reply && { ...reply, name, callId: words.callId };
    const isStuck = (said: MessageData): boolean => isRefused(said, told && { ...told, content: 'x' });
    // Mostly the header is the reason, and the text stays as it is.
    let said = words;
    if (isStuck(said)) said = withoutIntent(said);
    if (isStuck(said)) said = withPlainText(said);
    harmless[index] = !isStuck(said) ? said : reply ? { ...said, content: '{}' } : null;
    if (told !== null) harmless[at!] = told;
    const became = harmless[index] === null ? 'left out' : 'made harmless';
    const detail = `the model said what cannot be written again: it is ${became}`;
    losses.push({ what: 'field', message: index, detail });
  }
  return losses.length === 0 ? null : { messages: harmless.filter((message) => message !== null), losses };
}

/** Where the reply to each call stands: by its id or, where it has none, by the order. */
function repliesOf(messages: readonly MessageData[]): ReadonlyMap<MessageData, number> {
  const replies = new Map<MessageData, number>();
  let open: MessageData[] = [];
  for (const [index, message] of messages.entries()) {
    // One to nobody has a reply that tells so.
    if (isCall(message) || (message.role === 'assistant' && message.end === 'call')) open.push(message);
    if (message.role !== 'tool') continue;
    const call = open.find(({ callId }) => (callId || null) === (message.callId || null));
    if (call !== undefined) replies.set(call, index);
    open = open.filter((one) => one !== call);
  }
  return replies;
}

const isPlainWord = (word: string | null | undefined): boolean => word == null || plainWord(word) === word;

/** Two names that are cleaned may become one, so a name is looked at also where it alone could be written. */
const isPlain = ({ name, recipient, callId }: MessageData): boolean =>
  isPlainWord(name) && isPlainWord(callId) && (recipient == null || plainRecipient(recipient) === recipient);

const plainWord = (word: string): string => word.slice(0, LONGEST_WORD).replace(ODD, '_') || '_';

/** A tool whose name is a role would speak as somebody else. */
function plainRecipient(recipient: string): string {
  if (!isToolRecipient(recipient)) return recipient;
  const word = plainWord(recipient);
  const known = knownRole(word, false);
  return known === null || known.role === 'tool' && known.name === word ? word : `functions.${plainWord(word)}`;
}

/** A message with a header that every dialect carries. Ids that would become one stay apart. */
function withPlainWords(message: MessageData, ids: Set<string>): MessageData {
  const { name: _, contentType, constrained, intent, attributes: __, ...rest } = message;
  const { recipient, channel, callId } = message;
  const isLong = typeof channel === 'string' && channel.length > LONGEST_WORD;
  let id = callId ?? null;
  if (id !== null && !isPlainWord(id)) {
    const word = plainWord(id);
    id = word;
    for (let n = 2; ids.has(id); n++) id = `${word}${word.endsWith('_') ? '' : '_'}${n}`;
    ids.add(id);
  }
  return {
    ...rest,
    ...(recipient != null && { recipient: plainRecipient(recipient) }),
    ...(isLong && { channel: isCall(message) ? 'commentary' : 'analysis' }),
    ...(contentType != null && isPlainWord(contentType) && { contentType, ...(constrained && { constrained }) }),
    ...(intent != null && { intent: plainWord(intent) }),
    ...(id !== null && { callId: id }),
  };
}

/** What an intent hides stays hidden where the dialect has none. */
function withoutIntent({ intent, ...rest }: MessageData): MessageData {
  return intent == null || isCall(rest) ? rest : { ...rest, channel: 'analysis' };
}

/** Nothing in the text is read as anything else. */
function withPlainText({ written: _, marked: __, ...rest }: MessageData): MessageData {
  const content = rest.content
    .replace(/<\|([^<>|\s]{1,40})\|>/g, '<| $1 |>')
    .replace(/<(?=\/?(?:think|tool_call|tool_response|tools)>)/g, '< ');
  return { ...rest, content };
}
