// openchatml/stream: a model that is talking: its text, its token ids, the tools that it calls, and turns with it.

export { AiSdkAdapter, type AiSdkPart, type AiSdkUsage } from './runtime/events/ai-sdk.ts';
export type { AdapterOptions, ResponseFields } from './runtime/events/adapter.ts';
export {
  ChatAdapter, type ChatCompletionChunk, type ChatDelta, type ChatError, type ChatEvent, type ChatFinishReason,
  type ChatUsage,
} from './runtime/events/chat.ts';
export type { EventForm, EventForms, FormOptions } from './runtime/events/forms.ts';
export { ResponsesAdapter } from './runtime/events/responses.ts';
export type {
  ResponsesEvent, ResponsesItem, ResponsesObject, ResponsesUsage,
} from './runtime/events/responses-types.ts';
export { serverSentEvent, serverSentEvents } from './runtime/events/sse-write.ts';
export { type Clock, systemClock } from './runtime/router/clock.ts';
export { ToolRouter } from './runtime/router/router.ts';
export { defineTool, type StandardSchema, type ToolOptions } from './runtime/router/tool.ts';
export {
  type HandlerContext, type InspectedCall, type Outcome, type OutcomeStatus, type RoutedCall,
  type RouterEvent, type RouterOptions, type Tool, ToolError, type ToolHandler, ToolResult,
} from './runtime/router/types.ts';
export { type CompletionChunk, type CompletionOptions, readCompletion } from './runtime/servers/completion.ts';
export { ModelError, type Piece, type PieceSource } from './runtime/servers/lines.ts';
export {
  type CompletedText, ModelStatusError, openAICompatible, type OpenAICompatibleOptions,
} from './runtime/servers/openai-compatible.ts';
export {
  EventReader, type ReadEventsOptions, readServerSentEvents, type ServerSentEvent,
} from './runtime/servers/sse-read.ts';
export type { DoneMessage, StreamDiagnostic, StreamedMessage, StreamEvent } from './runtime/stream/event.ts';
export { RegionAdapter, type RegionEvent, type RegionField } from './runtime/stream/region.ts';
export {
  type Chunk, type ChunkSource, type EndOptions, type FlowOptions, type IterateOptions, MessageStream,
  type StreamBounds, type StreamOptions,
} from './runtime/stream/stream.ts';
export { rescue, type StreamRescue } from './runtime/stream/rescue.ts';
export { eventsOf, MessageTransform } from './runtime/stream/transform.ts';
export * from './runtime/token.ts';
export { TurnError } from './runtime/turn/error.ts';
export { runTurn } from './runtime/turn/turn.ts';
export type {
  Approval, ApprovalRequest, Approve, OpenCall, StoredTurn, TurnEvent, TurnModel, TurnOptions, TurnOutput,
  TurnOutputChunk, TurnOutputStream, TurnPrompt, TurnResult, TurnRun, TurnStop, Vocabulary,
} from './runtime/turn/types.ts';
export type { Usage } from './runtime/usage.ts';
