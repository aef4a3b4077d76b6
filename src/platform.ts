// Types of the platform in public signatures. Where a program has them (the DOM's, or Node's) they are these; where it
// has none, as much of them as is used: declarations stand without either.

/** `AbortSignal`. */
export type Signal =
  typeof globalThis extends { AbortSignal: { prototype: infer T extends AnySignal } } ? T : AnySignal;

/** What every `AbortSignal` has. */
export interface AnySignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
  throwIfAborted(): void;
}

/** A `ReadableStream` that is read. */
export interface ReadableSource<T> {
  getReader(): {
    read(): Promise<{ done: boolean; value?: T | undefined }>;
    cancel(reason?: unknown): Promise<void>;
    releaseLock(): void;
  };
}

/** A `ReadableStream` that is given out. */
export type Readable<T> = AsyncIterable<T>
  & (typeof globalThis extends { ReadableStream: { prototype: infer S } } ? S : ReadableSource<T>);

/** A `WritableStream` that takes values of any type; what it refuses is an error. */
export type Writable = typeof globalThis extends { WritableStream: { prototype: infer T } } ? T : WritableSink;

/** A `WritableStream` that is written. */
export interface WritableSink {
  getWriter(): {
    write(chunk: unknown): Promise<void>;
    close(): Promise<void>;
    abort(reason?: unknown): Promise<void>;
  };
}

/** `fetch`. */
export type Fetch = typeof globalThis extends { fetch: infer T } ? T
  : (url: string, init?: object) => Promise<unknown>;

/** `URL`, or its text. */
export type Address = string | { readonly href: string };
