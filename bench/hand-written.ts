// What a runtime writes for itself to read Harmony as it comes: a state machine over text, as small as it can be while
// it is right on well-made completions. It knows no bad UTF-8, no broken header, no finding, and no other dialect.

const TOKENS = ['<|start|>', '<|channel|>', '<|message|>', '<|constrain|>', '<|end|>', '<|call|>', '<|return|>'];

export type HandWrittenEvent =
  | { readonly type: 'delta'; readonly delta: string }
  | { readonly type: 'done'; readonly role: string };

export class HandWritten {
  #state: 'header' | 'body' | 'gap' = 'gap';
  #held = '';
  #header = '';
  #role = '';
  #shows = false;

  feed(chunk: string): HandWrittenEvent[] {
    const events: HandWrittenEvent[] = [];
    let text = this.#held === '' ? chunk : this.#held + chunk;
    this.#held = '';
    while (text !== '') {
      const at = text.indexOf('<');
      if (at !== 0) {
        this.#text(at < 0 ? text : text.slice(0, at), events);
        if (at < 0) break;
        text = text.slice(at);
      }
      const token = TOKENS.find((it) => text.startsWith(it));
      if (token !== undefined) {
        this.#token(token, events);
        text = text.slice(token.length);
      } else if (TOKENS.some((it) => it.startsWith(text))) {
        this.#held = text;
        break;
      } else {
        this.#text('<', events);
        text = text.slice(1);
      }
    }
    return events;
  }

  #text(text: string, events: HandWrittenEvent[]): void {
    if (this.#state === 'header') this.#header += text;
    else if (this.#state === 'body' && this.#shows) events.push({ type: 'delta', delta: text });
  }

  #token(token: string, events: HandWrittenEvent[]): void {
    switch (token) {
      case '<|start|>':
        this.#state = 'header';
        this.#header = '';
        break;
      case '<|message|>':
        this.#state = 'body';
        this.#readHeader();
        break;
      case '<|channel|>':
      case '<|constrain|>':
        this.#header += token;
        break;
      default:
        if (this.#state === 'body') events.push({ type: 'done', role: this.#role });
        this.#state = 'gap';
    }
  }

  #readHeader(): void {
    const [start = '', channel = ''] = this.#header.split('<|channel|>');
    this.#role = /^[a-z]+/.exec(start)?.[0] ?? '';
    const isCall = this.#header.includes(' to=');
    this.#shows = this.#role === 'user' || (this.#role === 'assistant' && (isCall || !channel.startsWith('comm')));
  }
}
