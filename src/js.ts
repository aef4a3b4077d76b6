// openchatml/js: the names of openchatml, without WebAssembly.

export * from './public.ts';
export { textToChat } from './formats/chats-twin.ts';
export { rescue } from './model/rescue-rows.ts';
export { check, engine, parse, scan } from './rules/library-twin.ts';
