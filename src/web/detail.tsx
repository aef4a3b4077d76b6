// One message as bytes and as JSON, side by side: what is chosen in one is shown in the other, and in the text.

import { messageData } from '../convert.ts';
import { type Message, parse, type Span, type Tile } from '../index.ts';
import { current, input, readingNow, select, selection } from './store.ts';

/** Bytes of a message that are drawn. */
const MOST_BYTES = 2048;
const ROW = 16;

interface Field extends Partial<Span> {
  readonly name: string;
  readonly json: string;
}

interface Detail {
  readonly message: Message;
  readonly tiles: readonly Tile[];
  readonly fields: readonly Field[];
}

function detailOf(number: number): Detail | null {
  const parsed = parse(input.value.bytes, readingNow());
  const message = [...parsed.messages()][number];
  if (message === undefined) return null;
  const tiles = [...parsed.tiles()].filter(({ from, to }) => from >= message.from && to <= message.to);
  return { message, tiles, fields: fieldsOf(message, tiles) };
}

const KEYS: Readonly<Record<string, string>> = {
  recipient: 'to', callId: 'call_id', intent: 'intent', name: 'name',
};

/** The members of the JSON projection, each with the bytes that say it. */
function fieldsOf(message: Message, tiles: readonly Tile[]): Field[] {
  const spanOf = (name: string): Partial<Span> => {
    const attribute = message.attributes.find(({ key }) => key === KEYS[name]);
    if (attribute !== undefined) return attribute;
    const behind = (part: Tile['part']): Partial<Span> =>
      tiles[tiles.findIndex((tile) => tile.part === part) + 1] ?? {};
    const has = (part: Tile['part']): boolean => tiles.some((tile) => tile.part === part);
    switch (name) {
      case 'content': return message.body;
      case 'end': return tiles.find(({ part }) => part === 'terminator') ?? {};
      case 'channel': return has('channel') ? behind('channel') : {};
      case 'contentType': case 'constrained': return has('constrain') ? behind('constrain') : {};
      case 'role': return has('start') ? behind('start') : {};
      default: return {};
    }
  };
  return Object.entries(messageData(message)).map(([name, value]) => {
    const { from, to } = spanOf(name);
    return { name, json: JSON.stringify(value), ...(from !== undefined && to !== undefined && { from, to }) };
  });
}

const touches = (span: Partial<Span>, chosen: Span | null): boolean =>
  chosen !== null && span.from !== undefined && span.to !== undefined && span.from <= chosen.from
  && (chosen.from < span.to || chosen.to > chosen.from && chosen.to <= span.to && chosen.from < span.to);

export function MessageDetail() {
  const number = current.value;
  const detail = number === null ? null : detailOf(number);
  if (detail === null) return <p class="empty">Choose a message: its bytes and its JSON stand here.</p>;
  const { message, tiles, fields } = detail;
  const whole = { from: message.from, to: message.to };
  const span = selection.value;
  // The whole message is chosen: no part of it stands out.
  const chosen = span !== null && (span.from !== whole.from || span.to !== whole.to) ? span : null;
  return (
    <div class="detail">
      <section aria-label="JSON">
        <h3>JSON</h3>
        <ul class="fields">
          {fields.map((field) => (
            <li key={field.name}>
              <button type="button" class={touches(field, chosen) ? 'chosen' : ''} disabled={field.from === undefined}
                onClick={() => select(field as Span)}>
                <span class="key">"{field.name}"</span>: <bdi>{shorten(field.json)}</bdi>
              </button>
            </li>
          ))}
        </ul>
      </section>
      <section aria-label="Bytes">
        <h3>Bytes {message.from} to {message.to}</h3>
        <Bytes tiles={tiles} chosen={chosen} />
      </section>
    </div>
  );
}

const shorten = (text: string): string => (text.length > 600 ? `${text.slice(0, 600)}…` : text);

interface ByteCell {
  readonly at: number;
  readonly tile: Tile;
}

function Bytes({ tiles, chosen }: { tiles: readonly Tile[]; chosen: Span | null }) {
  const { bytes } = input.value;
  const cells: ByteCell[] = [];
  for (const tile of tiles) {
    for (let at = tile.from; at < tile.to && cells.length < MOST_BYTES; at++) cells.push({ at, tile });
  }
  const all = (tiles.at(-1)?.to ?? 0) - (tiles[0]?.from ?? 0);
  const rows = Array.from({ length: Math.ceil(cells.length / ROW) }, (_, i) => cells.slice(i * ROW, (i + 1) * ROW));
  const look = ({ at, tile }: ByteCell): string =>
    `byte part-${tile.part}${chosen !== null && at >= chosen.from && at < Math.max(chosen.to, chosen.from + 1)
      ? ' chosen' : ''}`;
  return (
    <div class="hex" role="region" aria-label="Bytes as hexadecimal numbers" tabIndex={0}>
      {rows.map((row) => (
        <div class="row" key={row[0]!.at}>
          <span class="offset">{row[0]!.at}</span>
          <span class="cells">{row.map((cell) => (
            <span key={cell.at} class={look(cell)} title={`${cell.tile.part}, byte ${cell.at}`}
              onClick={() => select(cell.tile)}>{bytes[cell.at]!.toString(16).padStart(2, '0')}</span>
          ))}</span>
          <span class="ascii" aria-hidden="true">{row.map((cell) => (
            <span key={cell.at} class={look(cell)} onClick={() => select(cell.tile)}>{printable(bytes[cell.at]!)}</span>
          ))}</span>
        </div>
      ))}
      {all > cells.length && <p class="note">{all - cells.length} more bytes.</p>}
      <p class="note legend">
        {[...new Set(tiles.map(({ part }) => part))].map((part) => (
          <span key={part} class={`byte part-${part}`}>{part}</span>
        ))}
      </p>
    </div>
  );
}

const printable = (byte: number): string => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·');
