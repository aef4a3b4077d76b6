// A server on loopback that answers every request with one event stream.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';

export interface Loopback {
  readonly url: string;
  close(): Promise<void>;
}

/** `answer`: the text of an event stream for a request, in pieces. */
export async function serve(
  answer: (request: IncomingMessage) => AsyncIterable<string> | Iterable<string>,
): Promise<Loopback> {
  const server = createServer(async (request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    request.resume();
    for await (const piece of answer(request)) {
      if (!response.write(piece)) await once(response, 'drain');
    }
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Pieces of an input, cut at the given places. */
export function* pieces(input: Uint8Array, cuts: Iterable<number>): Generator<Uint8Array> {
  let from = 0;
  for (const to of [...cuts, input.length]) {
    yield input.slice(from, to);
    from = to;
  }
}
