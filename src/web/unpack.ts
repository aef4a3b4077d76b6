// Compressed files: unpacked into parts that the browser keeps, on its disk when they are large, so that they can be
// read like any file.

import { Decompress } from 'fzstd';
import { joined } from './bytes.ts';

const PART = 8 * 1024 * 1024;

export type Packing = 'gzip' | 'zstd' | null;

/** How a file is packed, by its first bytes. */
export function packingOf([a, b, c, d]: Uint8Array): Packing {
  if (a === 0x1f && b === 0x8b) return 'gzip';
  return a === 0x28 && b === 0xb5 && c === 0x2f && d === 0xfd ? 'zstd' : null;
}

/**
 * Unpacks a file. `tell` is told how many bytes of the file were read. Rejects with an Error with a sentence for people
 * when the file is damaged; what was unpacked by then is nothing that can be relied on.
 */
export async function unpack(file: File, packing: 'gzip' | 'zstd', tell: (read: number) => void): Promise<Blob> {
  const parts: Blob[] = [];
  let [waiting, length]: [Uint8Array[], number] = [[], 0];
  const flush = (): void => {
    if (length > 0) parts.push(new Blob([joined(waiting) as Uint8Array<ArrayBuffer>]));
    [waiting, length] = [[], 0];
  };
  const take = (bytes: Uint8Array): void => {
    waiting.push(bytes);
    length += bytes.length;
    if (length >= PART) flush();
  };
  let read = 0;
  const counted = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      tell(read += chunk.length);
      controller.enqueue(chunk);
    },
  });
  const stream = file.stream().pipeThrough(counted);
  try {
    if (packing === 'gzip') {
      for await (const bytes of readAll(stream.pipeThrough(new DecompressionStream('gzip')))) take(bytes);
    } else {
      const decoder = new Decompress((bytes) => take(bytes));
      for await (const bytes of readAll(stream)) decoder.push(bytes);
      decoder.push(new Uint8Array(0), true);
    }
  } catch (error) {
    const hint = packing === 'gzip' && /junk/i.test(String(error))
      ? 'it holds several archives in a row, which browsers do not unpack: unpack it first'
      : 'the archive is damaged';
    throw new Error(hint, { cause: error });
  }
  flush();
  return new Blob(parts);
}

async function* readAll(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}
