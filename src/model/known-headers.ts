// What headers say that are not plain and were read before: files repeat them, and broken ones may hold nothing else.

import type { Finding } from '../errors.ts';
import type { Dialect } from '../scan/dialects.ts';
import { fromOf, kindWord } from '../scan/table.ts';
import type { HeaderMeaning } from './attributes.ts';
import { BY_PLACE, KnownBytes } from './known-bytes.ts';
import type { Header, HeaderPlace } from './message-header.ts';

interface Known {
  readonly dialect: Dialect;
  /** Where its message began. */
  readonly from: number;
  readonly header: Header;
}

const known = new KnownBytes<Known>();

/** What the header of a message says, which `read` reads; bytes that are known are not read again. */
export function knownHeader(place: HeaderPlace, dialect: Dialect, read: (place: HeaderPlace) => Header): Header {
  const { table, row, bodyRow, rescue } = place;
  const word = kindWord(table, row);
  const from = fromOf(table, row);
  const to = fromOf(table, bodyRow);
  if (!KnownBytes.fits(to - from) || rescue !== null || (word & BY_PLACE) !== 0) return read(place);
  const bytes = table.source.bytes(from, to);
  const one = known.get(bytes, 0, bytes.length, word);
  if (one?.dialect === dialect) return new MovedHeader(one.header, from - one.from);
  const header = read(place);
  // Reading may ask for other bytes.
  known.keep(table.source.bytes(from, to), { dialect, from, header }, word);
  return header;
}

/** The same header, so many bytes behind: places are moved when they are asked for. */
class MovedHeader implements Header {
  readonly #header: Header;
  readonly #by: number;
  readonly to: number;
  #placed: Header | undefined;

  constructor(header: Header, by: number) {
    this.#header = header;
    this.#by = by;
    this.to = header.to + by;
  }

  get meaning(): HeaderMeaning {
    return this.#header.meaning;
  }

  get openTurn(): boolean {
    return this.#header.openTurn;
  }

  get cut(): boolean {
    return this.#header.cut;
  }

  placed(): Header {
    const { meaning, openTurn, cut } = this.#header;
    return (this.#placed ??= { meaning: movedMeaning(meaning, this.#by), to: this.to, openTurn, cut });
  }
}

function movedMeaning(meaning: HeaderMeaning, by: number): HeaderMeaning {
  const { contentTypeSpan, attributes, findings } = meaning;
  return {
    ...meaning,
    contentTypeSpan: contentTypeSpan && { from: contentTypeSpan.from + by, to: contentTypeSpan.to + by },
    attributes: attributes.map((one) => ({ ...one, from: one.from + by, to: one.to + by })),
    findings: findings.map((one): Finding => ({ ...one, from: one.from + by, to: one.to + by })),
  };
}
