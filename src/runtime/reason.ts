// Why a caller's signal aborts, in words: what `tool.cancel` and `response.cancel` tell.

/** A text as it is, an Error by its message, what the platform makes (`abort()` alone, a timeout) by its name. */
export function reasonOf({ reason }: AbortSignal): string {
  if (typeof reason === 'string') return reason;
  if (!(reason instanceof Error)) return 'aborted';
  const { name, message } = reason;
  return (reason instanceof DOMException ? name : message) || name || 'aborted';
}
