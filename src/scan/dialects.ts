// Dialects as data: which control tokens each one has, of which class, and a few flags (rulings R-DETECT, R-TEXT).

import * as abi from '../abi.ts';

/** The name of a dialect. */
export type DialectId = 'openchatml-2.2' | 'openchatml-2.0' | 'openchatml-0.1' | 'harmony';

/** A control token of a dialect, with its class. */
export interface Token {
  readonly id: number;
  /** The token as it stands in the text, `<|start|>` for example; ASCII. */
  readonly text: string;
  readonly tokenClass: number;
  /** ENDS_HEADER, OPENS_IMPLIED. */
  readonly flags: number;
}

/** A dialect as data: its control tokens with their classes, and flags (R-TEXT). */
export interface Dialect {
  readonly id: DialectId;
  /** True for the forms that automatic detection uses: there a token of any dialect ends a document header. */
  readonly detecting: boolean;
  readonly tokens: readonly Token[];
  /** HAS_ESCAPE, HAS_HEADERS, HAS_LINE. */
  readonly flags: number;
  /** Bit n: role id n is a role of this dialect; ROLES_FUNCTIONS. */
  readonly roles: number;
}

/** Names of the tokens by id, without `<|` and `|>`; BOS and EOS forms as they stand. */
export const TOKEN_NAMES: readonly string[] = [
  '', 'start', 'channel', 'message', 'call', 'constrain', 'return', 'end', 'literal', 'endliteral',
  'im_start', 'im_end', 'fim_prefix', 'fim_middle', 'fim_suffix', 'file_separator',
  'reflect', 'introspect', 'reason', 'start_reflect', 'end_reflect', 'start_introspect', 'end_introspect',
  'start_reason', 'end_reason', 'function_list', 'function_call', 'function_output', '<s>', '</s>', '[BOS]', '[EOS]',
];

/** What surrounds a literal block. */
export const OPEN_LITERAL = `<|${TOKEN_NAMES[abi.LITERAL_TOKEN]}|>`;
export const CLOSE_LITERAL = `<|${TOKEN_NAMES[abi.ENDLITERAL]}|>`;

export const ROLE_NAMES: readonly string[] = ['', 'system', 'developer', 'user', 'assistant', 'tool'];
export const CHANNEL_NAMES: readonly string[] = ['', 'analysis', 'commentary', 'final'];

function token(id: number, tokenClass: number, flags = 0): Token {
  return { id, text: `<|${TOKEN_NAMES[id]}|>`, tokenClass, flags };
}

const FRAME = [
  token(abi.START, abi.CLASS_OPEN, abi.ENDS_HEADER),
  token(abi.CHANNEL, abi.CLASS_NAME, abi.ENDS_HEADER | abi.OPENS_IMPLIED),
  token(abi.MESSAGE_TOKEN, abi.CLASS_TEXT, abi.ENDS_HEADER | abi.OPENS_IMPLIED),
  token(abi.CALL, abi.CLASS_CLOSE, abi.ENDS_HEADER),
  token(abi.RETURN, abi.CLASS_CLOSE, abi.ENDS_HEADER),
  token(abi.END, abi.CLASS_CLOSE, abi.ENDS_HEADER),
];
const CONSTRAIN = token(abi.CONSTRAIN, abi.CLASS_NAME, abi.ENDS_HEADER);
const RAW = [
  token(abi.LITERAL_TOKEN, abi.CLASS_RAW, abi.ENDS_HEADER),
  token(abi.ENDLITERAL, abi.CLASS_RAW_END, abi.ENDS_HEADER),
];

/** The markers of R-COT: marks inside 2.x bodies, tokens in 0.1. */
const THOUGHTS = [
  abi.START_REFLECT, abi.END_REFLECT, abi.START_INTROSPECT, abi.END_INTROSPECT, abi.START_REASON, abi.END_REASON,
].map((id) => token(id, abi.CLASS_INNER));

const LINE_TOKENS = [
  token(abi.IM_START, abi.CLASS_OPEN),
  token(abi.IM_END, abi.CLASS_CLOSE),
  ...[abi.FIM_PREFIX, abi.FIM_MIDDLE, abi.FIM_SUFFIX, abi.FILE_SEPARATOR].map((id) => token(id, abi.CLASS_FILE)),
  ...[abi.REFLECT, abi.INTROSPECT, abi.REASON].map((id) => token(id, abi.CLASS_INNER)),
  ...THOUGHTS,
  ...[abi.FUNCTION_LIST, abi.FUNCTION_CALL, abi.FUNCTION_OUTPUT].map((id) => token(id, abi.CLASS_INNER)),
];

/** All tokens of all dialects, each with class NONE: what detection looks for first. */
export const ANY_TOKENS: readonly Token[] = [...FRAME, CONSTRAIN, ...RAW, ...LINE_TOKENS].map((known) => ({
  ...known,
  tokenClass: abi.CLASS_NONE,
}));

/** Adds the tokens of all other dialects, which are text but end a document header at the beginning of a line. */
function detecting(dialect: Dialect): Dialect {
  const own = new Map(dialect.tokens.map((known) => [known.id, known]));
  const tokens = ANY_TOKENS.map((any) => ({ ...(own.get(any.id) ?? { ...any, flags: 0 }) }));
  return {
    ...dialect,
    detecting: true,
    flags: dialect.flags | abi.STOPS_AT_HEADER,
    tokens: tokens.map((any) => ({ ...any, flags: any.flags | abi.ENDS_HEADER })),
  };
}

const LINE_ROLES = (1 << abi.SYSTEM) | (1 << abi.USER) | (1 << abi.ASSISTANT) | (1 << abi.TOOL);
const ALL_ROLES = LINE_ROLES | (1 << abi.DEVELOPER) | abi.ROLES_FUNCTIONS;

/** The dialects by their names. */
export const DIALECTS: Readonly<Record<DialectId, Dialect>> = {
  'openchatml-2.2': {
    id: 'openchatml-2.2',
    detecting: false,
    tokens: [...FRAME, CONSTRAIN, ...RAW, ...THOUGHTS],
    flags: abi.HAS_ESCAPE | abi.HAS_HEADERS,
    roles: ALL_ROLES,
  },
  'openchatml-2.0': {
    id: 'openchatml-2.0',
    detecting: false,
    tokens: [...FRAME, ...THOUGHTS],
    flags: abi.HAS_HEADERS,
    roles: ALL_ROLES,
  },
  'openchatml-0.1': {
    id: 'openchatml-0.1',
    detecting: false,
    tokens: LINE_TOKENS,
    flags: abi.HAS_LINE,
    roles: LINE_ROLES,
  },
  harmony: { id: 'harmony', detecting: false, tokens: [...FRAME, CONSTRAIN], flags: 0, roles: ALL_ROLES },
};

export const DETECTED_22 = detecting(DIALECTS['openchatml-2.2']);
export const DETECTED_20 = detecting(DIALECTS['openchatml-2.0']);

/** Names of all dialects that a scan may be in: they outlast a thread. */
const BY_NAME: ReadonlyMap<string, Dialect> = new Map(
  [...Object.values(DIALECTS), DETECTED_22, DETECTED_20].map((dialect) => [dialectName(dialect), dialect]),
);

export function dialectName({ id, detecting }: Dialect): string {
  return detecting ? `${id} detected` : id;
}

/** The dialect of a name that `dialectName` gave. */
export const dialectNamed = (name: string): Dialect => BY_NAME.get(name)!;

const encoded = new WeakMap<Dialect, Uint8Array>();

/** The dialect as the scanner reads it: DIALECT_BYTES bytes, laid out as src/abi.ts says. */
export function encodeDialect(dialect: Dialect): Uint8Array {
  const known = encoded.get(dialect);
  if (known) return known;
  const bytes = new Uint8Array(abi.DIALECT_BYTES);
  const view = new DataView(bytes.buffer);
  view.setUint32(abi.DIALECT_FLAGS, dialect.flags, true);
  view.setUint32(abi.DIALECT_ROLES, dialect.roles, true);
  dialect.tokens.forEach((entry, index) => {
    const number = index + 1;
    const at = abi.DIALECT_ENTRIES + number * abi.ENTRY_BYTES;
    const inner = new TextEncoder().encode(entry.text.slice(2));
    for (let i = 0; i < inner.length && i < 16; i++) {
      bytes[at + (i < 8 ? abi.ENTRY_LOW : abi.ENTRY_HIGH - 8) + i] = inner[i]!;
      bytes[at + (i < 8 ? abi.ENTRY_LOW_MASK : abi.ENTRY_HIGH_MASK - 8) + i] = 0xff;
    }
    view.setUint32(at + abi.ENTRY_LENGTH, entry.text.length, true);
    view.setUint32(at + abi.ENTRY_WORD, entry.tokenClass | (entry.id << abi.TOKEN_SHIFT) | entry.flags, true);
    const bucket = Math.imul(view.getUint32(at + abi.ENTRY_LOW, true), abi.BUCKET_FACTOR) >>> abi.BUCKET_SHIFT;
    const head = abi.DIALECT_HEADS + bucket;
    view.setUint32(at + abi.ENTRY_NEXT, bytes[head]!, true);
    bytes[head] = number;
  });
  encoded.set(dialect, bytes);
  return bytes;
}
