// openchatml: the public names.

export * from './public.ts';
export { createMachine, type Engine, type MachineOptions } from './scan/engine.ts';
export type { Machine } from './scan/machine.ts';
export { check, engine, parse, scan } from './rules/library-best.ts';
export {
  type Chunk, type ChunkSource, type EndOptions, eventsOf, type FlowOptions, type IterateOptions, MessageStream,
  MessageTransform, type StreamBounds, type StreamOptions,
} from './runtime/stream/stream.ts';
export * from './runtime/token.ts';
export { runTurn } from './runtime/turn/turn.ts';
export { TurnError } from './runtime/turn/error.ts';
export type {
  Approval, ApprovalRequest, Approve, Model, OpenCall, Output, OutputChunk, OutputStream, Prompt, StoredTurn, TurnEvent,
  TurnOptions, TurnResult, TurnRun, TurnStop, Vocabulary,
} from './runtime/turn/types.ts';
