// One pass through a text for whole control tokens, bounds and what looks like a token, each at its sign. A text may be
// nothing but tokens, of few kinds: what a token means there is found out once.

import { CLASS_INNER, ENDLITERAL, FUNCTION_OUTPUT, HAS_ESCAPE, HAS_LINE, LITERAL_TOKEN } from '../../abi.ts';
import type { Severity } from '../../errors.ts';
import type { Dialect, Token } from '../../scan/dialects.ts';
import type { Found } from './found.ts';
import {
  boundAt, inDialect, isMarker, mayBeginToken, publicName, standsAt, tokenAt, tokenOfText,
} from './known.ts';
import { isPlain, type LookAlike, LookAlikes, opensLookAlike } from './look-alike.ts';
import { AUDIT_RULES } from './rules.ts';

const LESS = 0x3c;
const BRACKET = 0x5b;

/** What a token means wherever it stands in the text, but for escapes and literal blocks. */
interface Kind {
  readonly text: string;
  readonly length: number;
  /** Of a dialect; undefined: of another format. */
  readonly token: Token | undefined;
  /** One that stands for nothing in the body: in a literal block, or behind a `<`. */
  readonly isOwn: boolean;
  /** Its sign begins no look-alike. */
  readonly isPlain: boolean;
  /** Where the next sign stands in it; its length: nowhere. */
  readonly nextSign: number;
  /** What the whole of it looks like; null: it must be asked. */
  readonly alike: Alike | null;
  readonly found: Pick<Found, 'rule' | 'token' | 'severity' | 'detail'> | null;
}

type Alike = Pick<LookAlike, 'token' | 'ways'>;

/** Kinds that are looked for before any other, and that are known. */
const MOST_LIKELY = 4;
const MOST_KINDS = 256;

/** Where a sign stands that something begins with, from a position on; the text's length: none does. */
export function nextSign(text: string, from: number): number {
  const { length } = text;
  while (from < length) {
    const unit = text.charCodeAt(from);
    if (unit === BRACKET || opensLookAlike(unit)) return from;
    from++;
  }
  return length;
}

export class Finder {
  readonly #text: string;
  readonly #body: Dialect | null;
  readonly #role: string | null;
  readonly #escapes: boolean;
  readonly #take: (found: Found) => void;
  /** Made when they are asked for: texts are short, and most hold a token or none. */
  #alikes: LookAlikes | null = null;
  #kinds: Map<string, Kind> | null = null;
  readonly #likely: Kind[] = [];
  #oldest = 0;
  /** Where the last token ended, and the last look-alike. */
  #tokenTo = 0;
  #alikeTo = 0;
  /** The token behind the last bound, where one begins: it is met next. */
  #behindBound = -1;
  #kindBehind: Kind | null = null;
  #inLiteral = false;
  /** The look-alike that was told last. */
  #alike: Alike & { readonly detail: string } = { token: '', ways: [], detail: '' };

  constructor(text: string, body: Dialect | null, role: string | null, take: (found: Found) => void) {
    this.#text = text;
    this.#body = body;
    this.#role = role;
    this.#escapes = body !== null && (body.flags & HAS_ESCAPE) !== 0;
    this.#take = take;
  }

  /** Gives all that is found from a sign on, in order; at one place a token before what looks like one. */
  find(sign: number, edges: string, seams: readonly Found[]): void {
    const text = this.#text;
    for (let at = sign, next = 1; at < text.length; at = nextSign(text, at + next)) {
      next = 1;
      const unit = text.charCodeAt(at);
      // Nothing begins with three of them.
      if (unit === LESS && text.charCodeAt(at + 1) === LESS && text.charCodeAt(at + 2) === LESS) continue;
      let kind: Kind | null = null;
      if (unit === LESS || unit === BRACKET) {
        kind = at < this.#tokenTo ? null : this.#kindAt(at);
        if (kind !== null) this.#token(kind, at);
        else if (this.#body === null) next = this.#bound(at, edges, seams);
        if (kind?.isPlain === true) {
          next = kind.nextSign;
          continue;
        }
      }
      if (unit === BRACKET || at < this.#alikeTo) continue;
      if (kind !== null && kind.alike !== null) this.#takeAlike(at, at + kind.length, kind.alike);
      else {
        const alike = this.#alikeAt(at);
        if (alike !== null) this.#takeAlike(at, alike.to, alike);
      }
    }
  }

  #alikeAt(at: number): LookAlike | null {
    return (this.#alikes ??= new LookAlikes(this.#text)).at(at);
  }

  #takeAlike(index: number, to: number, alike: Alike): void {
    this.#alikeTo = to;
    const rule = 'token-look-alike';
    const detail = this.#detailOf(alike);
    this.#take({ rule, index, to, token: alike.token, severity: AUDIT_RULES[rule].severity, detail });
  }

  #detailOf({ token, ways }: Alike): string {
    // A text may hold one of them again and again, of which the ways are one object.
    if (token !== this.#alike.token || ways !== this.#alike.ways) {
      this.#alike = { token, ways, detail: `${token}, with ${ways.join(', ')}` };
    }
    return this.#alike.detail;
  }

  /** The token that begins at a position. */
  #kindAt(at: number): Kind | null {
    const text = this.#text;
    if (at === this.#behindBound) return this.#kindBehind;
    if (!mayBeginToken(text, at)) return null;
    for (const kind of this.#likely) if (standsAt(text, kind.text, at)) return kind;
    const written = tokenAt(text, at);
    if (written === null) return null;
    const kinds = (this.#kinds ??= new Map<string, Kind>());
    const kind = kinds.get(written) ?? this.#newKind(written, at);
    if (kinds.size < MOST_KINDS) kinds.set(written, kind);
    this.#likely[this.#oldest] = kind;
    this.#oldest = (this.#oldest + 1) % MOST_LIKELY;
    return kind;
  }

  #newKind(text: string, at: number): Kind {
    const token = tokenOfText(text);
    const { length } = text;
    if (token === undefined) {
      // `<|END|>` has the shape of a foreign token, too.
      const looks = this.#alikeAt(at);
      const found = looks !== null ? null : {
        rule: 'foreign-token' as const, token: publicName(text), severity: AUDIT_RULES['foreign-token'].severity,
        detail: undefined,
      };
      const alike = looks?.to === at + length ? looks : null;
      return {
        text, length, token, isPlain: isPlain(text, 0), nextSign: nextSign(text, 1), alike, isOwn: false, found,
      };
    }
    const body = this.#body;
    const own = body === null ? undefined : inDialect(token, body);
    const severity = severityOf(token, own, body, this.#role);
    const detail = body !== null && own === undefined ? `${text}, which is text in ${body.id}` : text;
    return {
      text, length, token, isPlain: isPlain(text, 0), nextSign: nextSign(text, 1), alike: null,
      isOwn: own !== undefined && own.tokenClass !== CLASS_INNER,
      found: severity && { rule: isMarker(token) ? 'cot-marker' : 'control-token', token: text, severity, detail },
    };
  }

  #token({ text, length, token, isOwn, found }: Kind, index: number): void {
    const to = this.#tokenTo = index + length;
    if (this.#escapes && token !== undefined) {
      let detail = '';
      if (this.#inLiteral) {
        if (token.id === ENDLITERAL) {
          this.#inLiteral = false;
          return;
        }
        detail = `${text} in a literal block`;
      } else if (isOwn && this.#text.charCodeAt(index - 1) === LESS) detail = `${text}, escaped`;
      else if (isOwn && token.id === LITERAL_TOKEN) {
        this.#inLiteral = true;
        return;
      }
      if (detail !== '') {
        const rule = isMarker(token) ? 'cot-marker' : 'control-token';
        this.#take({ rule, index, to, token: text, severity: 'info', detail });
        return;
      }
    }
    if (found === null) return;
    const { rule, token: name, severity, detail } = found;
    this.#take({ rule, index, to, token: name, severity, detail });
  }

  /**
   * `<s>` and its like mean something only between messages of 0.1 (R-GAP), and `<s>` is HTML, too. So they are told
   * where they stand alone: as the whole text, on the first or last line at an edge, or beside a control token. Answers
   * how many units are done with: those of one that stands between others of its kind are.
   */
  #bound(index: number, edges: string, seams: readonly Found[]): number {
    const text = this.#text;
    const token = boundAt(text, index);
    if (token === undefined) return 1;
    let left = index;
    while (left > 0 && isBlank(text.charCodeAt(left - 1))) left--;
    const to = index + token.length;
    let right = to;
    while (right < text.length && isBlank(text.charCodeAt(right))) right++;
    if (
      ((left === 0 || right === text.length) && this.#isAtEdge({ left, index, to, right }, edges)) ||
      (seams.length > 0 && seams.some((seam) => seam.to === left || seam.index === right)) ||
      (this.#tokenTo > 0 && this.#tokenTo === left) || this.#isBeforeToken(right)
    ) {
      const rule = 'bound-token';
      this.#take({ rule, index, to, token, severity: AUDIT_RULES[rule].severity, detail: undefined });
    }
    let last = index;
    while (standsAt(text, token, last + token.length)) last += token.length;
    return Math.max(1, last - index);
  }

  #isBeforeToken(at: number): boolean {
    this.#kindBehind = this.#kindAt(at);
    this.#behindBound = at;
    return this.#kindBehind !== null;
  }

  /** `left` and `right`: with the white space around it. */
  #isAtEdge({ left, index, to, right }: Record<'left' | 'index' | 'to' | 'right', number>, edges: string): boolean {
    const text = this.#text;
    if (left === 0 && right === text.length) return true;
    const isBracket = text.charCodeAt(index) === BRACKET;
    if (left === 0 && (edges === 'both' || edges === 'start')) {
      return isBracket || text.slice(to, right).includes('\n');
    }
    return right === text.length && (edges === 'both' || edges === 'end')
      && (isBracket || text.slice(left, index).includes('\n'));
  }
}

/** How bad a token is that is not escaped; null: it may stand there. `own`: the token as the body's dialect has it. */
function severityOf(token: Token, own: Token | undefined, body: Dialect | null, role: string | null): Severity | null {
  if (body === null) return isMarker(token) && role === 'assistant' ? 'warning' : 'error';
  if (own === undefined) return 'warning';
  if (own.tokenClass !== CLASS_INNER) return 'error';
  if (role === 'assistant') return null;
  if (!(body.flags & HAS_LINE)) return 'warning';
  // Instructions may name what the assistant is to write.
  if (role === 'system' || (role === 'tool' && token.id === FUNCTION_OUTPUT)) return null;
  return role === null ? 'warning' : 'error';
}

const isBlank = (unit: number): boolean => unit === 0x20 || unit === 0x09 || unit === 0x0a || unit === 0x0d;
