// openchatml/js: the public names without WebAssembly.

export * from './public.ts';
export { check, engine, parse, scan } from './rules/library-twin.ts';
export { eventsOf, MessageStream, MessageTransform, TokenStream } from './runtime/stream/twin.ts';
