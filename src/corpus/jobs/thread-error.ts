// A worker thread failed, and the one after it too.

export class ThreadError extends Error {
  override readonly name = 'ThreadError';
}
