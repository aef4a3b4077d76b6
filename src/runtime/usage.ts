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

/** What is given as usage, in numbers: what is none, or below 0, counts as 0. */
export function countsOf({ inputTokens, outputTokens, cachedInputTokens, reasoningTokens }: Usage): Usage {
  return {
    inputTokens: count(inputTokens),
    outputTokens: count(outputTokens),
    ...(cachedInputTokens !== undefined && { cachedInputTokens: count(cachedInputTokens) }),
    ...(reasoningTokens !== undefined && { reasoningTokens: count(reasoningTokens) }),
  };
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}
