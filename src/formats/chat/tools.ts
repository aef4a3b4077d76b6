// Tool definitions beside messages and in their text: out of the text for forms that have a field for them, into it for
// those that have none. What stands in a text is taken out only where putting it back gives the same text, byte for
// byte.

import type { MessageData, ToolDefinition, TranscriptData } from '../../model/data.ts';
import { readToolList } from '../../tools/lists.ts';
import { isObject } from '../../tools/json.ts';
import { Lately } from '../../tools/lately.ts';
import { toolsFromOpenAI } from '../../tools/records.ts';
import { FUNCTIONS, type ToolProblemReason, type ToolsWritten } from '../../tools/types.ts';
import { declareFlat, writeSection } from '../../tools/write-declarations.ts';
import { declarationsOf, lossesOfTools, toolsDeclared } from '../declared.ts';
import { movedFiles } from '../files.ts';
import type { Fields } from './fields.ts';
import { type Loss, Refusal } from '../loss.ts';
import { refuseProblem, toolListOf } from '../written-tools.ts';

/** How a developer's message holds tools: as declarations (2.2, Harmony), or as a JSON list (2.0). */
export type ToolsForm = 'declarations' | 'list';

const BETWEEN = '\n\n';

const sections = new Lately<Section | null>();

function writeTools(tools: readonly ToolDefinition[], form: ToolsForm): ToolsWritten {
  if (form === 'list') return toolListOf(tools);
  return declarationsOf(tools);
}

/** Whether the functions of a record, as OpenAI had them before there were other tools, are its definitions. */
export const hasFunctions = ({ tools = null, functions }: Fields): boolean =>
  tools === null && Array.isArray(functions);

/** The tools of a record. */
export function readTools(record: Fields, losses: Loss[]): readonly ToolDefinition[] {
  if (!hasFunctions(record)) return readToolField(record['tools'], losses);
  losses.push({ what: 'field', message: null, detail: 'functions becomes tools' });
  return readToolField((record['functions'] as unknown[]).map((one) => ({ type: 'function', function: one })), losses);
}

/** The tools of a record's field: a list, or text that holds its JSON. */
export function readToolField(value: unknown, losses: Loss[]): readonly ToolDefinition[] {
  if (value === undefined || value === null) return [];
  if ((Array.isArray(value) && value.length === 0) || value === '') {
    losses.push({ what: 'field', message: null, detail: 'tools is empty' });
    return [];
  }
  const { tools, problems } = toolsFromOpenAI(value);
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  for (const { reason, from } of problems) {
    if (reason === 'syntax' && isForeign(list[from])) {
      losses.push({ what: 'tools', message: null, detail: `tool ${from}: it is no function, and is left out` });
      continue;
    }
    if (reason !== 'field') {
      throw refusalOf(from, reason);
    }
    losses.push({ what: 'tools', message: null, detail: `tool ${from}: a field that definitions have no place for` });
  }
  return tools;
}

function refusalOf(tool: number, reason: ToolProblemReason): Refusal {
  const [problem, remedy] = reason === 'name'
    ? [`the name of tool ${tool} is none that a tool can have`, 'give it at most 256 of A-Z, a-z, 0-9, _, - and .']
    : [`tool ${tool} cannot be read (${reason})`, 'give {type: "function", function: {name, description, parameters}}'];
  return new Refusal(null, problem, remedy);
}

/** A tool that the provider runs, as a search of the web. */
function isForeign(tool: unknown): boolean {
  return isObject(tool) && typeof tool['type'] === 'string' && tool['type'] !== 'function';
}

/** The first developer's message among those that open the transcript; -1: none. */
function developerOf(messages: readonly MessageData[]): number {
  for (let index = 0; index < messages.length; index++) {
    const { role } = messages[index]!;
    if (role === 'developer') return index;
    if (role !== 'system') break;
  }
  return -1;
}

/**
 * Tools into the text of the developer's message: below its instructions, or in a message of their own after those of
 * the system. Throws a Refusal for a tool that cannot be written.
 */
export function placeTools(data: TranscriptData, form: ToolsForm): { data: TranscriptData; losses: Loss[] } {
  if (data.tools.length === 0) return { data, losses: [] };
  const written = writeTools(data.tools, form);
  const { text, losses } = written;
  refuseProblem(written.problems);
  const messages = [...data.messages];
  const starts = [...messages.keys()];
  const index = developerOf(messages);
  if (index >= 0) {
    const developer = messages[index]!;
    messages[index] = { ...developer, content: developer.content + BETWEEN + text };
  } else {
    const other = messages.findIndex(({ role }) => role !== 'system');
    const at = other < 0 ? messages.length : other;
    messages.splice(at, 0, { role: 'developer', content: text, end: 'end' });
    for (let later = at; later < starts.length; later++) starts[later]!++;
  }
  const files = movedFiles(data, starts, messages.length);
  return { data: { ...data, tools: [], messages, ...files }, losses: lossesOfTools(losses) };
}

/**
 * The text that `placeTools` makes of tools as declarations, where nothing is to be told of it: of flat ones, in whose
 * JSON no backslash stands. Throws a Refusal.
 */
export function flatToolsText(tools: readonly ToolDefinition[]): string {
  const written = writeSection(tools, (tool) => declareFlat(tool, 'harmony'));
  refuseProblem(written.problems);
  return written.text;
}

/**
 * Tools out of the text of the developer's message, where `placeTools` would give it back. A message of tools alone
 * goes away.
 */
export function extractTools(data: TranscriptData, form: ToolsForm): TranscriptData {
  if (data.tools.length > 0) return data;
  const index = developerOf(data.messages);
  const developer = data.messages[index];
  if (developer === undefined) return data;
  const { content } = developer;
  const section = readSection(content, form);
  if (section === null) return data;
  const { tools, from } = section;
  const messages = [...data.messages];
  const starts = [...messages.keys()];
  if (content.startsWith(BETWEEN, from - BETWEEN.length)) {
    messages[index] = { ...developer, content: content.slice(0, from - BETWEEN.length) };
  } else if (from === 0 && isBare(developer) && !isOpening(messages[index + 1])) {
    messages.splice(index, 1);
    for (let later = index + 1; later < starts.length; later++) starts[later]!--;
  } else {
    return data;
  }
  return { ...data, tools, messages, ...movedFiles(data, starts, messages.length) };
}

/**
 * Tools out of the text of the messages that open the transcript, for a form that would not find them there: also where
 * putting them back would not give the same text. The layout is lost then; definitions that cannot be read whole stay
 * in the text. Both are told.
 */
export function liftTools(data: TranscriptData, forms: readonly ToolsForm[]): { data: TranscriptData; losses: Loss[] } {
  const losses: Loss[] = [];
  if (data.tools.length > 0) return { data, losses };
  const tools: ToolDefinition[] = [];
  const messages: MessageData[] = [];
  const starts: number[] = [];
  let isOpen = true;
  data.messages.forEach((message, index) => {
    starts.push(messages.length);
    isOpen &&= isOpening(message);
    const lifted = isOpen ? liftFrom(message, forms) : null;
    if (lifted === null) {
      messages.push(message);
      return;
    }
    losses.push({
      what: 'tools',
      message: index,
      detail: lifted.tools === null ? 'definitions stay in its text' : 'the layout of definitions',
    });
    for (const tool of lifted.tools ?? []) tools.push(tool);
    if (lifted.message !== null) messages.push(lifted.message);
  });
  if (losses.length === 0) return { data, losses };
  return { data: { ...data, tools, messages, ...movedFiles(data, starts, messages.length) }, losses };
}

/**
 * What is left of a message without its tools, null when that is nothing; `tools` null: it keeps them. Null: it has
 * none.
 */
function liftFrom(
  message: MessageData, forms: readonly ToolsForm[],
): { tools: readonly ToolDefinition[] | null; message: MessageData | null } | null {
  const { content } = message;
  for (const form of forms) {
    const { tools, problems, from, to, isClean } = form === 'list' ? readToolList(content) : toolsDeclared(content);
    if (tools.length === 0) continue;
    const isWhole = problems.every(({ reason }) => reason === 'field') && isClean
      && tools.every(({ namespace }) => namespace === FUNCTIONS);
    if (!isWhole) return { tools: null, message };
    const rest = [content.slice(0, from).trimEnd(), content.slice(to).trimStart()].filter((text) => text !== '').join(
      BETWEEN,
    );
    return { tools, message: rest === '' && isBare(message) ? null : { ...message, content: rest } };
  }
  return null;
}

/** Nothing but its content would be lost with the message. */
function isBare({ name, recipient, channel, contentType, intent, callId, attributes, end }: MessageData): boolean {
  return (
    [name, recipient, channel, contentType, intent, callId, attributes].every((value) => (value ?? null) === null) &&
    (end === undefined || end === 'end')
  );
}

const isOpening = (message: MessageData | undefined): boolean =>
  message?.role === 'system' || message?.role === 'developer';

interface Section {
  readonly tools: readonly ToolDefinition[];
  readonly from: number;
}

/** The tools that a text ends with, when they are written as `placeTools` writes them. */
const readSection = (content: string, form: ToolsForm): Section | null =>
  sections.get(form + content, () => findSection(content, form));

function findSection(content: string, form: ToolsForm): Section | null {
  const { tools, problems, from, to, isClean } = form === 'list' ? readToolList(content) : toolsDeclared(content);
  if (tools.length === 0 || problems.length > 0 || !isClean || to !== content.length) return null;
  if (tools.some(({ namespace }) => namespace !== FUNCTIONS)) return null;
  const again = writeTools(tools, form);
  return again.problems.length === 0 && again.losses.length === 0 && again.text === content.slice(from)
    ? { tools, from }
    : null;
}
