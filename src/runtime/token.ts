// Token ids as input, over the best scanner that runs here.

import { MessageStream } from './stream/stream.ts';
import { needOptions } from '../options.ts';
import { type TokenOptions, Tokens } from './token-core.ts';

export { O200K_HARMONY, type SpecialTokens } from '../formats/specials.ts';
export type { TokenOptions } from './token-core.ts';

/**
 * Reads a transcript, or a completion, from the ids that a model samples:
 *
 *     const stream = new TokenStream({ dialect: 'harmony', role: 'assistant', decode: (id) => vocabulary.bytes(id) });
 *     for await (const id of sampled) for (const event of stream.feedTokens([id])) handle(event);
 *
 * @example
 * ```ts
 * import { TokenStream } from 'openchatml/stream';
 *
 * const text = new Map([[1, 'final'], [2, '4']]);
 * const stream = new TokenStream({
 *   dialect: 'harmony', role: 'assistant',
 *   decode: (id) => (text.has(id) ? new TextEncoder().encode(text.get(id)) : null),
 * });
 * // <|channel|>final<|message|>4<|return|> in o200k_harmony.
 * for (const event of stream.feedTokens([200005, 1, 200008, 2, 200002])) {
 *   if (event.type === 'response.delta') console.log(event.delta); // 4
 * }
 * ```
 */
export class TokenStream extends Tokens {
  constructor(given: TokenOptions) {
    needOptions(given);
    const { decode, specials, stops, ...options } = given;
    super(new MessageStream(options), { decode, specials, stops });
  }
}
