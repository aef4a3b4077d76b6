// openchatml: the public names.

export * from './public.ts';
export { createMachine, type Engine, type MachineOptions } from './scan/engine.ts';
export type { Machine } from './scan/machine.ts';
export { check, engine, parse, scan } from './semantics/best.ts';
