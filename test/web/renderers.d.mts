/** Bytes: the largest peak of memory among processes for pages that this process has started, by whatever way. */
export function peakOfRenderers(): number;
