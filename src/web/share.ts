// A link that holds the text: compressed, in the part of the address that browsers send to nobody. The same for a
// finding, by its rule and place.

import type { ReadChoice } from './analysis.ts';
import { joined } from './bytes.ts';

export interface Shared {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly choice: ReadChoice;
  /** A finding that the link leads to. */
  readonly finding: { readonly rule: string; readonly from: number } | null;
}

/** Bytes of a link that mail and chat programs still take, and of a text that a link may unpack to. */
export const LONGEST_LINK = 8192;
const LARGEST_TEXT = 1024 * 1024;
const PREFIX = '#t=';

async function through(
  bytes: Uint8Array, transform: CompressionStream | DecompressionStream, most = Infinity,
): Promise<Uint8Array> {
  const stream = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream().pipeThrough(transform);
  const parts: Uint8Array[] = [];
  let length = 0;
  for (const reader = stream.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > most) {
      await reader.cancel();
      throw new RangeError('the text of the link is too large');
    }
    parts.push(value);
  }
  return joined(parts);
}

export async function linkOf({ name, bytes, choice, finding }: Shared): Promise<string> {
  const head = new TextEncoder().encode(`${JSON.stringify({ name, ...choice, finding })}\n`);
  const packed = await through(joined([head, bytes]), new CompressionStream('deflate-raw'));
  let binary = '';
  for (const byte of packed) binary += String.fromCharCode(byte);
  return PREFIX + btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** What a link holds; null: it is none. Throws an Error with a sentence for people when it is damaged. */
export async function readLink(hash: string): Promise<Shared | null> {
  if (!hash.startsWith(PREFIX)) return null;
  try {
    const binary = atob(hash.slice(PREFIX.length).replaceAll('-', '+').replaceAll('_', '/'));
    const packed = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    const whole = await through(packed, new DecompressionStream('deflate-raw'), LARGEST_TEXT + LONGEST_LINK);
    const end = whole.indexOf(0x0a);
    const head = JSON.parse(new TextDecoder().decode(whole.subarray(0, end))) as Record<string, unknown>;
    return { ...headOf(head), bytes: whole.subarray(end + 1) };
  } catch {
    throw new Error('The link is damaged: it holds no text that can be read.');
  }
}

const DIALECTS: readonly unknown[] = ['auto', 'openchatml-2.2', 'openchatml-2.0', 'openchatml-0.1', 'harmony'];
const ROLES: readonly unknown[] = ['', 'assistant', 'user', 'system', 'developer', 'tool'];

/** Links come from anybody: every member is looked at. */
function headOf({ name, dialect, role, stopStripped, finding }: Record<string, unknown>): Omit<Shared, 'bytes'> {
  const { rule, from } = (typeof finding === 'object' && finding !== null ? finding : {}) as Record<string, unknown>;
  return {
    name: typeof name === 'string' ? name.slice(0, 200) : '',
    choice: {
      dialect: DIALECTS.includes(dialect) ? dialect as ReadChoice['dialect'] : 'auto',
      role: ROLES.includes(role) ? role as string : '',
      stopStripped: stopStripped === true,
    },
    finding: typeof rule === 'string' && Number.isInteger(from) ? { rule, from: from as number } : null,
  };
}
