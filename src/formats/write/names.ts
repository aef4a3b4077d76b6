// Names that a header cannot carry (2.2 §11): cleaned where that is asked for. Else those of people are left out, which
// is told; without the name of a tool or the id of a call the transcript would say something else: the header refuses.

import type { MessageData } from '../../model/data.ts';
import type { DialectId } from '../../scan/dialects.ts';
import { type Loss, type LossName, Refusal } from '../loss.ts';

/** Controls, separators, half surrogates, marks of text direction, the byte order mark. */
export const BARRED = /[\p{Cc}\p{Z}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/u;
const ALL_BARRED = new RegExp(BARRED, 'gu');

/** Whether a value reads back as itself. */
const isCarried = (value: string, dialect: DialectId): boolean => {
  const isToken = value.includes('<|') || value.endsWith('<');
  return value !== '' && !isToken && !BARRED.test(value) && !(dialect === 'harmony' && value.includes('='));
};

function cleaned(value: string, dialect: DialectId): string {
  const word = value.replace(ALL_BARRED, '_').replaceAll('<|', '_|').replace(/<$/, '_');
  return dialect === 'harmony' ? word.replaceAll('=', '_') : word;
}

/** A key or type with a `=` would be read as an attribute. */
const isWord = (value: string): boolean => isCarried(value, 'openchatml-2.2') && !value.includes('=');
const isFineAttribute = ({ key, value }: { key: string; value: string }): boolean =>
  isWord(key) && (value === '' || isCarried(value, 'openchatml-2.2'));

/** What a user may have said of a message besides who speaks. */
function cleanedFields(
  { intent, contentType, attributes }: MessageData, index: number, dialect: DialectId, losses: Loss[],
): Partial<MessageData> {
  const lose = (what: LossName): void =>
    void losses.push({ what, message: index, detail: 'what a header cannot carry becomes _' });
  const word = (text: string): string => cleaned(text, dialect).replaceAll('=', '_') || '_';
  const fields: { -readonly [K in keyof MessageData]?: MessageData[K] } = {};
  if (intent != null && !isCarried(intent, dialect)) {
    fields.intent = word(intent);
    lose('intent');
  }
  if (contentType != null && !isWord(contentType)) {
    fields.contentType = word(contentType);
    lose('content-type');
  }
  if (attributes !== undefined && !attributes.every(isFineAttribute)) {
    fields.attributes = attributes.map(({ key, value }) => ({ key: word(key), value: cleaned(value, dialect) }));
    lose('attribute');
  }
  return fields;
}

/** The messages with names and ids that headers of a dialect can carry. Throws a Refusal where two would become one. */
export function withCarriedNames(
  messages: readonly MessageData[], dialect: DialectId, neutralise: boolean,
): { messages: readonly MessageData[]; losses: Loss[] } {
  const isFine = (value: string | null | undefined): boolean => value == null || isCarried(value, dialect);
  const isAllFine = ({ name, recipient, callId, intent, contentType, attributes }: MessageData): boolean =>
    isFine(name) && isFine(recipient) && isFine(callId)
    && !(neutralise && !(isFine(intent) && isFine(contentType) && (attributes?.every(isFineAttribute) ?? true)));
  if (messages.every(isAllFine)) return { messages, losses: [] };
  const losses: Loss[] = [];
  const words = { tool: new Map<string, string>(), person: new Map<string, string>(), id: new Map<string, string>() };
  const clean = (kind: keyof typeof words, what: LossName, value: string | null | undefined, index: number): string => {
    const word = cleaned(value!, dialect);
    const before = words[kind].get(word) ?? value!;
    if (before !== value) {
      const reason = 'cleaning what a header cannot carry would make two names one';
      throw new Refusal(index, reason, 'give them other names');
    }
    words[kind].set(word, value!);
    if (word !== value) losses.push({ what, message: index, detail: 'what a header cannot carry becomes _' });
    return word;
  };
  const done = messages.map((message, index): MessageData => {
    const { role, name, recipient, callId } = message;
    const isTool = role === 'tool';
    if (name != null && (name === '' || (!isTool && !neutralise && !isFine(name)))) {
      losses.push({ what: 'name', message: index, detail: 'a header cannot carry it: left out' });
      return { ...message, name: null };
    }
    if (!neutralise) return message;
    return {
      ...message,
      ...cleanedFields(message, index, dialect, losses),
      ...(name != null && { name: clean(isTool ? 'tool' : 'person', 'name', name, index) }),
      ...(recipient != null && recipient !== '' && { recipient: clean('tool', 'recipient', recipient, index) }),
      ...(callId != null && callId !== '' && { callId: clean('id', 'call-id', callId, index) }),
    };
  });
  return { messages: done, losses };
}
