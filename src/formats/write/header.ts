// The header of a message as text, from its start token to the first byte of the body (R-ATTR, R-HIP1, 2.2 §6). What
// could smuggle something into the header, or would be read back as something else, is refused (2.2 §11).

import { knownRole } from '../../model/attributes.ts';
import type { MessageData } from '../../model/data.ts';
import { HEADER_BYTES } from '../../model/header/document.ts';
import type { DialectId } from '../../scan/dialects.ts';
import { type Loss, type LossName, Refusal } from '../loss.ts';
import { isShown } from '../../rules/message-data.ts';
import { BARRED } from './names.ts';

export interface HeaderOptions {
  /**
   * In Harmony: a content type as ` <|constrain|>json` (the default), as the bare word ` json` of the chat template, or
   * as the message gives it: a binding one as the former, a hint as the latter.
   */
  readonly contentType?: 'constrain' | 'bare' | 'given' | undefined;
}

const ROLES: ReadonlySet<string> = new Set(['system', 'developer', 'user', 'assistant', 'tool']);
const KEYS: ReadonlySet<string> = new Set(['to', 'call_id', 'name', 'intent', 'content_type']);

const PLAIN_WORD = /^[A-Za-z][A-Za-z0-9_-]*$/;
const FUNCTION = /^functions\.[A-Za-z0-9_.-]+$/;

/** Composes one header. */
export function writeMessageHeader(
  message: MessageData,
  index: number,
  dialect: DialectId,
  options: HeaderOptions,
  losses: Loss[],
): string {
  const text = new HeaderWriter(message, index, losses).write(dialect, options);
  // A character takes at most three bytes of UTF-8 for each of its units.
  if (text.length * 3 > HEADER_BYTES && new TextEncoder().encode(text).length > HEADER_BYTES) {
    throw new Refusal(index, 'the header is longer than 64 KiB', 'shorten its values');
  }
  return text;
}

class HeaderWriter {
  readonly #message: MessageData;
  readonly #index: number;
  readonly #losses: Loss[];

  constructor(message: MessageData, index: number, losses: Loss[]) {
    this.#message = message;
    this.#index = index;
    this.#losses = losses;
  }

  write(dialect: DialectId, options: HeaderOptions): string {
    switch (dialect) {
      case 'openchatml-2.2':
        return this.#canonical();
      case 'openchatml-2.0':
        return this.#plain();
      case 'harmony':
        return this.#harmony(options);
      case 'openchatml-0.1':
        return this.#line();
    }
  }

  /** 2.2 §6, attributes in the order of R-ATTR. */
  #canonical(): string {
    const { recipient, callId, name, intent, contentType } = this.#message;
    const constrained = this.#message.constrained === true && contentType != null;
    const hint = constrained ? null : contentType;
    const start =
      this.#role() +
      this.#pair('to', recipient) +
      this.#pair('call_id', callId) +
      this.#pair('name', name) +
      this.#pair('intent', intent) +
      this.#pair('content_type', hint) +
      this.#others();
    const constrain = constrained ? `<|constrain|>${this.#bareWord('content type', contentType)}` : '';
    return `<|start|>${start}${this.#channel()}${constrain}<|message|>`;
  }

  /** 2.0 §6: a tool's reply has the tool as its role. */
  #plain(): string {
    this.#loseIntent();
    this.#lose('call-id', this.#message.callId);
    this.#lose('content-type', this.#message.contentType);
    const { name } = this.#message;
    const role = this.#role();
    const isFunction = role === 'tool' && typeof name === 'string' && FUNCTION.test(name);
    const toAssistant = role === 'tool' && this.#message.recipient == null;
    if (toAssistant) {
      this.#losses.push({ what: 'recipient', message: this.#index, detail: 'the reply is for the assistant' });
    }
    const to = this.#pair('to', toAssistant ? 'assistant' : this.#message.recipient);
    const start = (isFunction ? name : role) + to + (isFunction ? '' : this.#pair('name', name)) + this.#others();
    return `<|start|>${start}${this.#channel()}<|message|>`;
  }

  /** As Harmony frames it: the recipient in the role section, a tool's reply under the tool's name. */
  #harmony(options: HeaderOptions): string {
    this.#loseIntent();
    this.#lose('call-id', this.#message.callId);
    for (const { key } of this.#message.attributes ?? []) this.#lose('attribute', key);
    const { name, recipient } = this.#message;
    let role = this.#role();
    let to = this.#pair('to', recipient);
    if (role === 'tool') {
      if (name != null) role = this.#toolAuthor(this.#bareWord('name', name));
      if (to === '') {
        this.#losses.push({ what: 'recipient', message: this.#index, detail: 'the reply is for the assistant' });
      }
      to ||= ' to=assistant';
    } else if (role === 'user' && name != null) {
      role = `user:${this.#bareWord('name', name)}`;
    } else {
      this.#lose('name', name);
    }
    return `<|start|>${role}${to}${this.#channel()}${this.#harmonyType(options)}<|message|>`;
  }

  /** 0.1 §3. */
  #line(): string {
    const { recipient, channel } = this.#message;
    const role = this.#role();
    if (role === 'developer') this.#refuse('0.1 has no role developer', 'make it a system message');
    const isMessage = role === 'user' || role === 'assistant';
    if (isMessage && !isShown(this.#message)) {
      this.#refuse('0.1 would show the message, which is hidden', 'bring it into the shape of 0.1 first');
    }
    if (channel !== 'final') this.#lose('channel', channel);
    this.#lose('recipient', recipient);
    this.#lose('call-id', this.#message.callId);
    this.#lose('content-type', this.#message.contentType);
    this.#lose('intent', this.#message.intent);
    return `<|im_start|>${role}${this.#pair('name', this.#message.name)}${this.#others()}\n`;
  }

  #refuse(reason: string, remedy: string): never {
    throw new Refusal(this.#index, reason, remedy);
  }

  #lose(what: LossName, value: unknown, detail?: string): void {
    if (value != null) this.#losses.push({ what, message: this.#index, ...(detail !== undefined && { detail }) });
  }

  /** The intent has no place. Without it nothing may become visible. */
  #loseIntent(): void {
    const { intent } = this.#message;
    if (intent === 'debug' && isShown({ ...this.#message, intent: null })) {
      this.#refuse(
        'the dialect has no intent, without which the message would be shown',
        'move it to channel analysis',
      );
    }
    this.#lose('intent', intent);
  }

  #role(): string {
    const { role } = this.#message;
    if (role == null) this.#refuse('the message has no role', 'give it one');
    if (!ROLES.has(role)) {
      this.#refuse('the role is none that can be written', 'use system, developer, user, assistant or tool');
    }
    return role;
  }

  /** A tool's name as the word that stands for the role. */
  #toolAuthor(name: string): string {
    const { recipient } = this.#message;
    const known = knownRole(name, false);
    const isRead = known
      ? known.role === 'tool' && known.name === name
      : recipient == null || recipient === 'assistant';
    if (!isRead) this.#refuse('the name of the tool would be read as something else', 'use functions.<name>');
    return name;
  }

  #harmonyType({ contentType: form = 'constrain' }: HeaderOptions): string {
    const { contentType, channel } = this.#message;
    if (contentType == null) return '';
    const constrained = this.#message.constrained === true;
    const type = this.#bareWord('content type', contentType);
    const bare = (form === 'bare' || (form === 'given' && !constrained)) && channel != null;
    if (bare && type.includes('.')) {
      this.#refuse('a bare content type with a dot would be read as a recipient', 'use the constrain form');
    }
    if (bare === constrained) this.#lose('content-type', type, bare ? 'it binds no more' : 'it binds now');
    return bare ? ` ${type}` : ` <|constrain|>${type}`;
  }

  #channel(): string {
    const { channel } = this.#message;
    if (channel == null) return '';
    this.#value('channel', channel);
    if (!PLAIN_WORD.test(channel)) this.#refuse('the channel is no plain word', 'use analysis, commentary or final');
    return `<|channel|>${channel}`;
  }

  #others(): string {
    let text = '';
    for (const { key, value } of this.#message.attributes ?? []) {
      this.#bareWord('attribute key', key);
      if (KEYS.has(key)) this.#refuse('an attribute has the name of a field', 'set the field');
      text += ` ${key}=${value === '' ? '' : this.#value('attribute value', value)}`;
    }
    return text;
  }

  #pair(key: string, value: string | null | undefined): string {
    return value == null ? '' : ` ${key}=${this.#value(key, value)}`;
  }

  #bareWord(what: string, value: unknown): string {
    const word = this.#value(what, value);
    if (word.includes('=')) this.#refuse(`the ${what} holds a =, and would be read as an attribute`, 'use another one');
    return word;
  }

  /** A value that reads back as itself, and shows as what it is. */
  #value(what: string, value: unknown): string {
    if (typeof value !== 'string') this.#refuse(`the ${what} is no text`, 'give it as a string');
    if (value === '') this.#refuse(`the ${what} is empty`, 'leave it out');
    if (BARRED.test(value)) {
      this.#refuse(
        `the ${what} holds white space, a control character or a mark of text direction`,
        'clean it, or ask to neutralise',
      );
    }
    if (value.includes('<|') || value.endsWith('<')) {
      this.#refuse(`the ${what} holds a control token or the beginning of one`, 'clean it, or ask to neutralise');
    }
    return value;
  }
}
