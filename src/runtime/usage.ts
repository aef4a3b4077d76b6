// What an output cost.

/** Tokens, as the model counts them. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Of the input: those that the model had at hand. */
  readonly cachedInputTokens?: number | undefined;
  /** Of the output. */
  readonly reasoningTokens?: number | undefined;
}
