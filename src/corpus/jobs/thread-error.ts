// A worker thread failed, and the one after it too; or threads were ended while they worked.

export class ThreadError extends Error {
  override readonly name = 'ThreadError';
}
