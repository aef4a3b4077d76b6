// What a plain header says (assembly/README.md, PLAIN), read in one pass: known words and attributes, each once, all of them ASCII. The
// same as `readMeaning` says of it, without the spans and findings that nobody asks for.

import { CHANNEL, CONSTRAIN } from '../abi.ts';
import { TOKEN_NAMES } from '../scan/dialects.ts';

/** The attributes of a header, and what stands for one. */
export interface HeaderWords {
  name: string | null;
  recipient: string | null;
  contentType: string | null;
  intent: string | null;
  callId: string | null;
}

const CHANNEL_TOKEN = `<|${TOKEN_NAMES[CHANNEL]}|>`;
const CONSTRAIN_TOKEN = `<|${TOKEN_NAMES[CONSTRAIN]}|>`;
const FUNCTIONS = 'functions.';
const SPACE = 0x20;
const LESS = 0x3c;
const EQUALS = 0x3d;

/**
 * `text`: the header behind its start token, up to its message token or newline. `hasFields`: there are field tokens in it, all of them
 * of this dialect; else what looks like one is text.
 */
export function plainWords(text: string, hasFields: { readonly channel: boolean; readonly constrain: boolean }): HeaderWords {
  const tokenAt = (at: number): number => {
    if (hasFields.channel && text.startsWith(CHANNEL_TOKEN, at)) return CHANNEL;
    return hasFields.constrain && text.startsWith(CONSTRAIN_TOKEN, at) ? CONSTRAIN : 0;
  };
  const said: HeaderWords = { name: null, recipient: null, contentType: null, intent: null, callId: null };
  // The first word of a field is its role, channel or type; a later one without a key gives the content type.
  let field = 0;
  let isFirst = true;
  let constrained = false;
  let bare: string | null = null;
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at);
    if (code <= SPACE) {
      at++;
      continue;
    }
    if (code === LESS) {
      const token = tokenAt(at);
      if (token !== 0) {
        field = token;
        isFirst = true;
        at += (token === CHANNEL ? CHANNEL_TOKEN : CONSTRAIN_TOKEN).length;
        continue;
      }
    }
    const from = at;
    let equals = -1;
    for (; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit <= SPACE || (unit === LESS && tokenAt(at) !== 0)) break;
      if (unit === EQUALS && equals < 0) equals = at;
    }
    if (equals >= 0) {
      take(said, text.slice(from, equals), text.slice(equals + 1, at), constrained);
      continue;
    }
    if (field === CONSTRAIN) {
      said.contentType = text.slice(from, at);
      constrained = true;
    } else if (!isFirst) bare = text.slice(from, at);
    else if (field === 0 && text.startsWith(FUNCTIONS, from)) said.name = text.slice(from, at);
    isFirst = false;
  }
  said.contentType ??= bare;
  return said;
}

function take(said: HeaderWords, key: string, value: string, constrained: boolean): void {
  if (key === 'to') said.recipient = value;
  else if (key === 'call_id') said.callId = value;
  else if (key === 'intent') said.intent = value;
  // What a role names counts before an attribute.
  else if (key === 'name') said.name ??= value;
  else if (key === 'content_type' && !constrained) said.contentType = value;
}
