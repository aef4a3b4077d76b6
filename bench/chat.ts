// Plans conversations: who speaks, on which channel, which tools are called and answered. It knows no notation's
// spelling; a sink writes the messages down, counts them, or both.
import { Body, type Part } from './body.ts';
import type { Notation } from './notation.ts';
import type { Profile } from './profiles.ts';
import { Random } from './random.ts';
import { Pools } from './text.ts';

export interface Message {
  role: 'system' | 'developer' | 'user' | 'assistant' | 'tool';
  channel: '' | 'analysis' | 'commentary' | 'final';
  recipient: string;
  callId: string;
  name: string;
  intent: string;
  contentType: string;
  constrain: string;
  /** Spell it as Harmony does: the tool as the role of its reply, the recipient of a call in the channel field. */
  compatible: boolean;
  end: 'end' | 'call' | 'return';
  parts: readonly Part[];
}

export interface Sink {
  begin(): void;
  message(message: Message): void;
  finish(): void;
  /** Asked after each turn of a single transcript and after each transcript of many. */
  full(): boolean;
}

const TOOLS = ['functions.search', 'functions.search', 'functions.write_file', 'functions.lookup_weather', 'python'];

const SYSTEM = 'You are a helpful assistant.\nKnowledge cutoff: 2024-06\nCurrent date: 2025-08-08\n\nReasoning: high\n';

const DEFINITIONS = `# Tools

## functions

namespace functions {

// Search the document index
type search = (_: {
// What to look for
query: string,
limit?: number, // default: 10
}) => any;

// Write a text file
type write_file = (_: {
path: string,
content: string,
}) => any;

// Weather of a city
type lookup_weather = (_: {
location: string,
format?: "celsius" | "fahrenheit", // default: celsius
}) => any;

} // namespace functions

# Instructions
`;

/** Writes transcripts until the sink is full. The same arguments always give the same messages. */
export function writeChats(profile: Profile, notation: Notation, seed: number, poolSize: number, sink: Sink): void {
  const random = new Random(seed, `chat ${profile.name} ${notation}`);
  const planner = new Planner(profile, notation, random, new Pools(seed, poolSize), sink);
  if (profile.turns === 0) planner.transcript(0);
  else {
    do planner.transcript(1 + random.below(2 * profile.turns - 1));
    while (!sink.full());
  }
}

class Planner {
  readonly #profile: Profile;
  readonly #notation: Notation;
  readonly #random: Random;
  readonly #body: Body;
  readonly #sink: Sink;
  readonly #channels: boolean;
  readonly #message: Message;
  #ids = 0;

  constructor(profile: Profile, notation: Notation, random: Random, pools: Pools, sink: Sink) {
    this.#profile = profile;
    this.#notation = notation;
    this.#random = random;
    this.#body = new Body(profile, notation, random, pools);
    this.#sink = sink;
    this.#channels = notation !== 'openchatml-0.1';
    this.#message = { ...EMPTY, parts: this.#body.parts };
  }

  /** A transcript of so many turns, or, for 0, of as many as the sink takes. */
  transcript(turns: number): void {
    const random = this.#random;
    this.#sink.begin();
    // In Harmony the system message is what begins a transcript.
    if (this.#notation === 'harmony' || random.chance(0.5)) {
      this.#body.prompt(SYSTEM);
      this.#send('system', '');
    }
    if (this.#channels && this.#profile.calls > 0) {
      this.#body.prompt(DEFINITIONS);
      this.#send('developer', '');
    }
    for (let turn = 1, more = true; more; turn++) {
      this.#question();
      this.#steps();
      this.#answer(turn === turns);
      more = turns === 0 ? !this.#sink.full() : turn < turns;
    }
    this.#sink.finish();
  }

  #question(): void {
    this.#body.text(false);
    if (this.#notation !== 'harmony' && this.#random.chance(0.02)) this.#message.name = 'eric';
    this.#send('user', '');
  }

  /** What an assistant does before it answers. */
  #steps(): void {
    const random = this.#random;
    const { analysis, calls } = this.#profile;
    if (random.chance(analysis)) this.#think();
    if (!random.chance(calls)) return;
    if (this.#channels && random.chance(0.1)) {
      this.#body.text(false);
      if (this.#notation !== 'harmony') this.#message.intent = 'preamble';
      this.#send('assistant', 'commentary');
    }
    const tools = [random.pick(TOOLS)];
    if (random.chance(0.2)) tools.push(random.pick(TOOLS));
    const open = tools.map((tool) => ({ tool, id: `call_${(this.#ids++).toString(36)}` }));
    for (const { tool, id } of open) this.#call(tool, id);
    // With ids replies may come in any order; without them, in the order of the calls.
    if (this.#notation === 'openchatml-2.2' && random.chance(0.5)) open.reverse();
    for (const { tool, id } of open) this.#reply(tool, id);
    if (random.chance(analysis)) this.#think();
  }

  #think(): void {
    if (!this.#channels) return;
    this.#body.text(this.#notation === 'openchatml-2.2');
    this.#send('assistant', 'analysis');
  }

  #call(tool: string, id: string): void {
    const message = this.#message;
    message.recipient = tool;
    message.end = 'call';
    if (this.#notation === 'openchatml-2.2') message.callId = id;
    message.compatible = this.#random.chance(0.1);
    if (tool === 'python' && this.#channels) {
      this.#body.program();
      this.#send('assistant', 'analysis');
    } else {
      message.constrain = 'json';
      this.#body.call(tool);
      this.#send('assistant', 'commentary');
    }
  }

  #reply(tool: string, id: string): void {
    const message = this.#message;
    message.name = tool;
    message.recipient = 'assistant';
    message.compatible = this.#random.chance(0.1);
    if (this.#notation === 'openchatml-2.2') {
      message.callId = id;
      if (this.#random.chance(0.3)) message.contentType = 'json';
    }
    this.#body.reply(tool);
    this.#send('tool', 'commentary');
  }

  #answer(last: boolean): void {
    this.#body.text(this.#notation === 'openchatml-0.1');
    if (this.#notation === 'openchatml-2.2' && this.#random.chance(0.1)) this.#message.contentType = 'markdown';
    if (last) this.#message.end = 'return';
    this.#send('assistant', 'final');
  }

  #send(role: Message['role'], channel: Message['channel']): void {
    const message = this.#message;
    message.role = role;
    message.channel = channel;
    this.#sink.message(message);
    this.#body.clear();
    message.recipient = '';
    message.callId = '';
    message.name = '';
    message.intent = '';
    message.contentType = '';
    message.constrain = '';
    message.compatible = false;
    message.end = 'end';
  }
}

const EMPTY: Omit<Message, 'parts'> = {
  role: 'user',
  channel: '',
  recipient: '',
  callId: '',
  name: '',
  intent: '',
  contentType: '',
  constrain: '',
  compatible: false,
  end: 'end',
};
