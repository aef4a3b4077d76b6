// openchatml/js: the public names without WebAssembly.

export * from './public.ts';
export { check, engine, parse, scan } from './semantics/plain.ts';
