// Messages as rows of the columns of `messages`, filled from bytes.
//
// What a message says in words repeats itself: role, channel and their like, the end, whether it is visible. Such a
// combination is a kind; a row takes the numbers of its words from it. Contents go from bytes to bytes.

import type { End, Message } from '../../model/message.ts';
import type { PlainHeader } from '../../model/plain-header.ts';
import type { TranscriptInfo } from '../../model/transcript.ts';
import { isThoughtAlone, visibilityClass } from '../../model/visibility.ts';
import { hasWrittenCalls, plainWord } from '../../model/message-rows.ts';
import { Columns, type Texts } from './columns.ts';
import { MESSAGE_COLUMNS } from './message-schema.ts';

/** What a kind of messages has in common. */
export interface MessageKind {
  readonly role: string | null;
  readonly name: string | null;
  readonly recipient: string | null;
  readonly channel: string;
  readonly explicitChannel: string | null;
  readonly contentType: string | null;
  readonly intent: string | null;
  readonly end: End;
  readonly visible: boolean;
}

/** Where a message's bytes are. */
interface Bytes {
  bytes(from: number, to: number): Uint8Array;
}

/** The numbers of a kind's words. */
export interface KindIds {
  readonly role: number;
  readonly name: number;
  readonly recipient: number;
  readonly channel: number;
  readonly explicitChannel: number;
  readonly contentType: number;
  readonly intent: number;
  readonly end: number;
  readonly visible: number;
  /** Bytes of the words. */
  readonly bytes: number;
}

const ENDS: readonly End[] = ['end', 'call', 'return', 'implicit'];
/** Bits of a well-known kind's number: role, channel; end; what decides whether it is visible. */
const END_SHIFT = 5;
const CLASS_SHIFT = 7;

export class MessageColumns {
  readonly columns = new Columns(MESSAGE_COLUMNS);
  /** Kinds by their words. */
  readonly #kinds = new Map<string, KindIds>();
  /**
   * Those of plain messages by their number: of bare ones, and of others by recipient, name, content type and intent.
   */
  readonly #bare = new Array<KindIds | undefined>(4 << CLASS_SHIFT);
  readonly #plain = new Map<number, Branch>();
  #path = '';
  #pathId = -1;
  #arrays = arraysOf(this.columns);

  /** Begins with nothing. `path`: the file that the rows are about. */
  begin(path: string): void {
    this.clear();
    this.#path = path;
  }

  /** The rows are gone. */
  clear(): void {
    this.columns.clear();
    this.#kinds.clear();
    this.#bare.fill(undefined);
    this.#plain.clear();
    this.#pathId = -1;
  }

  /** What `add` takes for a kind; valid until `clear`. */
  kind(kind: MessageKind): KindIds {
    const { cells } = this.columns;
    const ids = {
      role: cells.role.idOf(kind.role),
      name: cells.name.idOf(kind.name),
      recipient: cells.recipient.idOf(kind.recipient),
      channel: cells.channel.idOf(kind.channel),
      explicitChannel: cells.explicit_channel.idOf(kind.explicitChannel),
      contentType: cells.content_type.idOf(kind.contentType),
      intent: cells.intent.idOf(kind.intent),
      end: cells.end.idOf(kind.end),
      visible: kind.visible ? 1 : 0,
    };
    const bytes = cells.role.lengthOf(ids.role) + cells.name.lengthOf(ids.name)
      + cells.recipient.lengthOf(ids.recipient) + cells.channel.lengthOf(ids.channel)
      + cells.explicit_channel.lengthOf(ids.explicitChannel)
      + cells.content_type.lengthOf(ids.contentType) + cells.intent.lengthOf(ids.intent) + cells.end.lengthOf(ids.end);
    return { ...ids, bytes };
  }

  /** The content and the call id of a row, which are set before `add` ends it. */
  get content(): Texts {
    return this.columns.cells.content;
  }

  get callId(): Texts {
    return this.columns.cells.call_id;
  }

  /** Adds a row whose content and call id were set. `record` null: raw text; positions are bytes of the file. */
  add(
    kind: KindIds,
    record: number | null,
    transcript: number,
    index: number,
    from: number,
    to: number,
    bodyFrom: number,
    bodyTo: number,
  ): void {
    const { columns } = this;
    const { rows: row } = columns;
    if (this.#arrays.room !== columns.room) this.#arrays = arraysOf(columns);
    const arrays = this.#arrays;
    const { path } = columns.cells;
    if (this.#pathId < 0) this.#pathId = path.idOf(this.#path);
    arrays.path[row] = this.#pathId;
    arrays.record[row] = record ?? NaN;
    arrays.transcript[row] = transcript;
    arrays.index[row] = index;
    arrays.role[row] = kind.role;
    arrays.name[row] = kind.name;
    arrays.recipient[row] = kind.recipient;
    arrays.channel[row] = kind.channel;
    arrays.explicitChannel[row] = kind.explicitChannel;
    arrays.contentType[row] = kind.contentType;
    arrays.intent[row] = kind.intent;
    arrays.end[row] = kind.end;
    arrays.visible[row] = kind.visible;
    arrays.from[row] = from;
    arrays.to[row] = to;
    arrays.bodyFrom[row] = bodyFrom;
    arrays.bodyTo[row] = bodyTo;
    columns.next(kind.bytes + path.lengths[this.#pathId]!);
  }

  /** Adds a message. `number`: of the transcript in the file. `record` null: raw text. `place`: see MessageLines. */
  addMessage(
    message: Message,
    transcript: TranscriptInfo,
    number: number,
    index: number,
    source: Bytes,
    record: number | null,
    place: (offset: number, isEnd?: boolean) => number,
  ): void {
    const { from: bodyFrom, to: bodyTo } = message.body;
    const { content, callId } = this;
    const isLeaf = message.isLeaf;
    const said = isLeaf && message.isBare ? NOTHING : message.said;
    const kind = this.#kindOf(message, said, transcript, isLeaf);
    if (said.callId === null) callId.setNull();
    else {
      callId.begin();
      callId.addText(said.callId);
    }
    content.begin();
    if (isLeaf) {
      if (bodyTo > bodyFrom) content.add(source.bytes(bodyFrom, bodyTo));
    } else for (const span of message.contentSpans()) content.add(source.bytes(span.from, span.to));
    const from = place(message.from);
    const placedFrom = place(bodyFrom);
    const placedTo = place(bodyTo, true);
    this.add(kind, record, number, index, from, place(message.to, true), placedFrom, placedTo);
  }

  #kindOf(message: Message, said: PlainHeader, transcript: TranscriptInfo, isLeaf: boolean): KindIds {
    const isUsual = isLeaf && !hasWrittenCalls(message) && !isThoughtAlone(message);
    const word = isUsual ? plainWord(message) : -1;
    const { end } = message;
    if (word < 0 || end === 'eof') {
      const kind = kindOf(message, message.isVisible);
      const key = JSON.stringify(kind);
      return this.#kinds.get(key) ?? keep(this.#kinds, key, this.kind(kind));
    }
    // Whether a message like this is visible is told by its words and its transcript alone.
    const number = word | (ENDS.indexOf(end) << END_SHIFT) | (visibilityClass(transcript) << CLASS_SHIFT);
    const make = (): KindIds => this.kind(kindOf(message, message.isVisible));
    if (said === NOTHING) return (this.#bare[number] ??= make());
    const { recipient, name, contentType, intent } = said;
    let branch = this.#plain.get(number) ?? keep(this.#plain, number, new Map() as Branch);
    for (const word of [recipient, name, contentType]) {
      branch = (branch.get(word) ?? keep(branch, word, new Map())) as Branch;
    }
    return (branch.get(intent) ?? keep(branch, intent, make())) as KindIds;
  }
}

/** What a row is written to while there is room: to look each up in the columns for every row costs twice as much. */
const arraysOf = ({ room, cells }: Columns<typeof MESSAGE_COLUMNS>) => ({
  room,
  path: cells.path.ids,
  record: cells.record.values,
  transcript: cells.transcript.values,
  index: cells.index.values,
  role: cells.role.ids,
  name: cells.name.ids,
  recipient: cells.recipient.ids,
  channel: cells.channel.ids,
  explicitChannel: cells.explicit_channel.ids,
  contentType: cells.content_type.ids,
  intent: cells.intent.ids,
  end: cells.end.ids,
  visible: cells.visible.values,
  from: cells.from.values,
  to: cells.to.values,
  bodyFrom: cells.body_from.values,
  bodyTo: cells.body_to.values,
});

/** What a bare message says beside role and channel. */
const NOTHING: PlainHeader = {
  name: null, recipient: null, contentType: null, constrained: false, intent: null, callId: null,
};

/** By what a message says next, up to its kind. */
type Branch = Map<string | null, Branch | KindIds>;

function keep<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): Value {
  map.set(key, value);
  return value;
}

function kindOf(message: Message, visible: boolean): MessageKind {
  const { role, name, recipient, channel, explicitChannel, contentType, intent, end } = message;
  return { role, name, recipient, channel, explicitChannel, contentType, intent, end, visible };
}
