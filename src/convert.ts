// openchatml/convert: messages to and from records, dialects, Harmony and interchange; prompts; what an end user sees.

export {
  type ChatCustomCall, type ChatMessage, type ChatRecord, type ChatToolCall, fromOpenAI,
} from './formats/chat/read.ts';
export { fromResponses, type ResponsesRecord, toResponses } from './formats/chat/responses.ts';
export { fromShareGpt, type ShareGptRecord, toShareGpt } from './formats/chat/sharegpt.ts';
export { toOpenAI } from './formats/chat/write.ts';
export {
  type Converted, type ConvertedRecord, type ConvertedText, type ConvertOptions, convertTranscript, type Form, FORMS,
  type RecordForms,
} from './formats/convert.ts';
export { neutralOf, type NeutralOptions } from './formats/neutral.ts';
export { fromHarmony, type FromHarmonyOptions, toHarmony, type ToHarmonyOptions } from './formats/harmony/harmony.ts';
export { builtinToolsText } from './formats/harmony/settings.ts';
export { HARMONY_SYSTEM, harmonySystem, type HarmonySystem, readHarmonySystem } from './formats/harmony/system.ts';
export type { AnthropicMessage, AnthropicRecord } from './formats/chat/anthropic.ts';
export {
  fromInterchange, type InterchangeCall, type InterchangeMessage, type InterchangeRecord, type InterchangeToolCall,
  toInterchange20, toInterchange22,
} from './formats/interchange/interchange.ts';
export { type Loss, type LossName, Refusal } from './formats/loss.ts';
export { type PromptOptions, writePrompt, type WrittenPrompt } from './formats/prompt.ts';
export { type HtmlOptions, renderHtml, renderText, type RenderOptions } from './formats/render/render.ts';
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
export { type DroppedMessage, messagesForCompletion, type Sampling, type SamplingOptions } from './rules/sampling.ts';
