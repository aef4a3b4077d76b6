// openchatml/js: the names of openchatml, without WebAssembly.

export * from './public.ts';
export { check, engine, parse, scan } from './rules/library-twin.ts';
