// Names of `openchatml` that do not depend on the scanner.

export {
  type Code, type Diagnostic, Lines, type Place, type Rule, type RuleName, RULES, type Severity,
} from './errors.ts';
export { type ControlToken, findControlTokens, type FindTokensOptions } from './formats/control-tokens/find.ts';
export { escapeControlTokens, type EscapeStyle, type EscapeTokensOptions } from './formats/control-tokens/escape.ts';
export { AUDIT_RULES, type AuditRuleName } from './formats/control-tokens/rules.ts';
export type { Attribute } from './model/attributes.ts';
export type { Edges } from './model/edges.ts';
export type { HeaderValue, ReadYaml } from './model/header/text.ts';
export { type End, Message, type MessageRecord, type Span } from './model/message.ts';
export { Parsed, type Tile, Transcript } from './model/parse.ts';
export type { FileInSequence, FillIn, FillInPart } from './model/sequence.ts';
export type { Mark, Thought, ThoughtName } from './model/thoughts.ts';
export type { TranscriptInfo } from './model/transcript-info.ts';
export {
  type HiddenReason, type ShowOptions, VisibilityError, type VisibilityOptions,
} from './model/visibility.ts';
export type { PlainReadOptions } from './model/part-walk.ts';
export type { Rescue } from './model/rescue.ts';
export type { ReadOptions } from './model/walk.ts';
export type { Dialect, DialectId, Token } from './scan/dialects.ts';
export { DIALECTS } from './scan/dialects.ts';
export type { Engine } from './scan/engine.ts';
export { MemorySource, type Source } from './scan/source.ts';
export { type ChatOfText, chatToText } from './formats/chats.ts';
export { countCalls } from './rules/call-count.ts';
export type { CheckOptions } from './rules/check-options.ts';
export type { ContentCheck, ContentOptions } from './rules/constraint.ts';
export { Counter } from './rules/count.ts';
export type { Counts } from './rules/counts.ts';
export type { StructureOptions } from './rules/library.ts';
