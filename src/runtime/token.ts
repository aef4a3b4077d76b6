// Token ids as input, over the best scanner that runs here.

import { MessageStream } from './stream/stream.ts';
import { type TokenOptions, Tokens } from './token-core.ts';

export { O200K_HARMONY, type SpecialTokens } from '../formats/specials.ts';
export type { TokenOptions } from './token-core.ts';

/**
 * Reads a transcript, or a completion, from the ids that a model samples:
 *
 *     const stream = new TokenStream({ dialect: 'harmony', role: 'assistant', decode: (id) => vocabulary.bytes(id) });
 *     for await (const id of sampled) for (const event of stream.feedTokens([id])) handle(event);
 */
export class TokenStream extends Tokens {
  constructor({ decode, specials, stops, ...options }: TokenOptions) {
    super(new MessageStream(options), { decode, specials, stops });
  }
}
