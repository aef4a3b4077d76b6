// Public names that do not depend on the engine.

export {
  type Code, type Diagnostic, Lines, type Place, type Rule, type RuleName, RULES, type Severity,
} from './errors.ts';
export { type ChatRecord, fromChat } from './formats/chat/read.ts';
export { toChat } from './formats/chat/write.ts';
export { type ControlToken, findControlTokens, type FindTokensOptions } from './formats/control-tokens/find.ts';
export { escapeControlTokens, type EscapeStyle, type EscapeTokensOptions } from './formats/control-tokens/escape.ts';
export { AUDIT_RULES, type AuditRuleName } from './formats/control-tokens/rules.ts';
export {
  type ConvertOptions, type Converted, convertTranscript, type Form, neutralOf, type NeutralOptions,
} from './formats/convert.ts';
export { fromHarmony, type FromHarmonyOptions, toHarmony, type ToHarmonyOptions } from './formats/harmony/harmony.ts';
export { builtinToolsText } from './formats/harmony/settings.ts';
export { HARMONY_SYSTEM, harmonySystem, type HarmonySystem, readHarmonySystem } from './formats/harmony/system.ts';
export { fromInterchange, toInterchange20, toInterchange22 } from './formats/interchange/interchange.ts';
export { fromResponses, type ResponsesRecord, toResponses } from './formats/chat/responses.ts';
export { type Loss, type LossName, Refusal } from './formats/loss.ts';
export { type PromptOptions, writePrompt, type WrittenPrompt } from './formats/prompt.ts';
export { messageRecord, type MessageRecord } from './formats/record.ts';
export { type HtmlOptions, type Placed, renderHtml, renderText, type RenderOptions } from './formats/render/render.ts';
export { fromShareGpt, type ShareGptRecord, toShareGpt } from './formats/chat/sharegpt.ts';
export {
  type Encoder, encodeSegments, type Segment, type SegmentOptions, writePromptSegments, writeSegments,
} from './formats/segments.ts';
export { transcriptData } from './formats/transcript-data.ts';
export {
  writeHead, writeMessage, type WriteOptions, writeTail, writeTranscript, type Written,
} from './formats/write/write.ts';
export {
  type FileData, type FilePart, type FillInData, type JsonSchema, type MediaPart, messageData, type MessageData,
  type ToolDefinition, type TranscriptData,
} from './model/data.ts';
export type { Attribute } from './model/attributes.ts';
export type { Edges } from './model/edges.ts';
export type { HeaderValue } from './model/header/yaml.ts';
export { type End, Message, type Span } from './model/message.ts';
export { Parsed, type Tile, Transcript } from './model/parse.ts';
export type { FileInSequence, FillIn, FillInPart } from './model/sequence.ts';
export type { Mark, Thought, ThoughtName } from './model/thoughts.ts';
export type { TranscriptInfo } from './model/transcript.ts';
export type { ReadOptions } from './model/walk.ts';
export type { Dialect, DialectId, Token } from './scan/dialects.ts';
export { DIALECTS } from './scan/dialects.ts';
export { MemorySource, type Source } from './scan/source.ts';
export { countCalls } from './rules/call-count.ts';
export { type CheckOptions, checkSource } from './rules/check.ts';
export type { ContentCheck, ContentOptions } from './rules/constraint.ts';
export { type DroppedMessage, messagesForCompletion, type Sampling, type SamplingOptions } from './rules/sampling.ts';
export { type ArgumentFinding, type CompiledTool, compileTool } from './tools/compile.ts';
export { readDeclarations } from './tools/declarations.ts';
export { fromOpenAI, toOpenAI } from './tools/records.ts';
export { writeDeclarations } from './tools/write-declarations.ts';
export { Counter } from './rules/count.ts';
export type { Counts } from './rules/counts.ts';
export {
  type HiddenReason, isVisible, show, type ShowOptions, type VisibilityOptions, VisibilityError,
} from './rules/visibility.ts';
export { type CompletionChunk, type CompletionOptions, readCompletion } from './runtime/servers/completion.ts';
export { ModelError, type Piece, type PieceSource } from './runtime/servers/lines.ts';
export {
  ModelStatusError, openAICompatible, type OpenAICompatibleOptions,
} from './runtime/servers/openai-compatible.ts';
export {
  EventReader, type ReadEventsOptions, readServerSentEvents, type ServerSentEvent,
} from './runtime/servers/sse-read.ts';
export { type Clock, systemClock } from './runtime/router/clock.ts';
export type { EventForm, EventForms, FormOptions } from './runtime/events/forms.ts';
export type { AdapterOptions, ResponseFields } from './runtime/events/adapter.ts';
export { AiSdkAdapter, type AiSdkPart, type AiSdkUsage } from './runtime/events/ai-sdk.ts';
export {
  ChatAdapter, type ChatCompletionChunk, type ChatDelta, type ChatError, type ChatEvent, type ChatFinishReason,
  type ChatUsage,
} from './runtime/events/chat.ts';
export { ResponsesAdapter } from './runtime/events/responses.ts';
export type {
  ResponsesEvent, ResponsesItem, ResponsesObject, ResponsesUsage,
} from './runtime/events/responses-types.ts';
export type { Usage } from './runtime/usage.ts';
export { serverSentEvent, serverSentEvents } from './runtime/events/sse-write.ts';
export type { DoneMessage, StreamDiagnostic, StreamedMessage, StreamEvent } from './runtime/stream/event.ts';
export { RegionAdapter, type RegionEvent, type RegionField } from './runtime/stream/region.ts';
export { ToolRouter } from './runtime/router/router.ts';
export { defineTool, type StandardSchema, type ToolOptions } from './runtime/router/tool.ts';
export {
  type Handler, type HandlerContext, type InspectedCall, type Outcome, type OutcomeStatus, type RoutedCall,
  type RouterEvent, type RouterOptions, type Tool, ToolError, ToolResult,
} from './runtime/router/types.ts';
