// openchatml: reads, checks the structure, counts, and tells what an end user sees.

export * from './public.ts';
export { rescue } from './model/rescue-rows.ts';
export { createMachine, type MachineOptions } from './scan/engine.ts';
export type { Machine } from './scan/machine.ts';
export { textToChat } from './formats/chats-best.ts';
export { check, engine, parse, scan } from './rules/library-best.ts';
