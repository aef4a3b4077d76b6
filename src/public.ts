// Public names that do not depend on the engine.

export { type Code, type Diagnostic, Lines, type Place, type Rule, type RuleName, RULES, type Severity } from './errors.ts';
export { messageRecord, type MessageRecord } from './formats/record.ts';
export type { Attribute } from './model/attributes.ts';
export type { HeaderValue } from './model/document-header.ts';
export { type End, Message, type Span } from './model/message.ts';
export { Parsed, type Tile, Transcript } from './model/parse.ts';
export type { FileInSequence, FillIn } from './model/sequence.ts';
export type { Mark, Thought, ThoughtName } from './model/thoughts.ts';
export type { TranscriptInfo } from './model/transcript.ts';
export type { ReadOptions } from './model/walk.ts';
export type { Dialect, DialectId, Token } from './scan/dialects.ts';
export { DIALECTS } from './scan/dialects.ts';
export { MemorySource, type Source } from './scan/source.ts';
export { countCalls } from './semantics/calls.ts';
export { checkSource } from './semantics/check.ts';
export { type Counts, Counter } from './semantics/count.ts';
export { isVisible } from './semantics/visibility.ts';
