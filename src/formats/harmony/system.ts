// The system message as Harmony lays it out: identity and dates, reasoning effort, builtin tools, channels.

import { FLAG, type Known } from '../../options.ts';

/** What a Harmony system message says. A field that is absent or null has no line. */
export interface HarmonySystem {
  readonly identity?: string | null | undefined;
  readonly knowledgeCutoff?: string | null | undefined;
  readonly currentDate?: string | null | undefined;
  /** low, medium or high; other words are written as they are. */
  readonly reasoningEffort?: string | null | undefined;
  /**
   * The text below `# Tools`: the descriptions of builtin tools. Those of the model's vendor are not part of this
   * package; `builtinToolsText` names them in the documents' words.
   */
  readonly builtinTools?: string | null | undefined;
  /** Names on the line `# Valid channels`. */
  readonly channels?: readonly string[] | null | undefined;
  /** The line says that every message must have a channel; default true. */
  readonly channelRequired?: boolean | undefined;
  /** A line under the channels sends calls of `functions` to commentary; default false. Needs `channels`. */
  readonly functionTools?: boolean | undefined;
}

export const HARMONY_SYSTEM_FIELDS: Known<HarmonySystem> = {
  identity: 1, knowledgeCutoff: 1, currentDate: 1, reasoningEffort: 1, builtinTools: 1, channels: 1,
  channelRequired: FLAG, functionTools: FLAG,
};

/** What openai-harmony writes when it is told nothing. */
export const HARMONY_SYSTEM: HarmonySystem = {
  identity: 'You are ChatGPT, a large language model trained by OpenAI.',
  knowledgeCutoff: '2024-06',
  reasoningEffort: 'medium',
  channels: ['analysis', 'commentary', 'final'],
};

const CUTOFF = 'Knowledge cutoff: ';
const DATE = 'Current date: ';
const EFFORT = 'Reasoning: ';
const TOOLS = '# Tools';
const CHANNELS = '# Valid channels: ';
const REQUIRED = ' Channel must be included for every message.';
const FUNCTIONS = "Calls to these tools must go to the commentary channel: 'functions'.";

/**
 * The text of a system message, byte for byte as openai-harmony renders it. Throws a TypeError for other values.
 *
 * @example
 * ```ts
 * import { harmonySystem } from 'openchatml/convert';
 *
 * console.log(harmonySystem({ reasoningEffort: 'low' }).includes('Reasoning: low')); // true
 * ```
 */
export function harmonySystem(fields: HarmonySystem): string {
  const { identity, knowledgeCutoff, currentDate, reasoningEffort, builtinTools, channels } = fields;
  const texts = { identity, knowledgeCutoff, currentDate, reasoningEffort, builtinTools };
  for (const [name, value] of Object.entries(texts)) {
    if (!isThere(value) || typeof value === 'string') continue;
    const remedy = name === 'builtinTools' ? '; builtinToolsText(names) gives that of names' : '';
    throw new TypeError(`${name}: expected text${remedy}`);
  }
  const top = [identity, prefixed(CUTOFF, knowledgeCutoff), prefixed(DATE, currentDate)].filter(isThere);
  const parts: string[] = top.length > 0 ? [top.join('\n')] : [];
  if (isThere(reasoningEffort)) parts.push(`${EFFORT}${reasoningEffort}`);
  if (isThere(builtinTools)) parts.push(`${TOOLS}\n\n${builtinTools}`);
  if (channels && channels.length > 0) {
    const required = fields.channelRequired === false ? '' : REQUIRED;
    parts.push(`${CHANNELS}${channels.join(', ')}.${required}${fields.functionTools ? `\n${FUNCTIONS}` : ''}`);
  }
  return parts.join('\n\n');
}

const isThere = (value: string | null | undefined): value is string => value !== null && value !== undefined;
const prefixed = (prefix: string, value: string | null | undefined): string | null =>
  (isThere(value) ? prefix + value : null);

/**
 * Reads a system message of that layout; null: it is another text. At least the effort or the channels must be there.
 * How many blank lines stand between the parts does not matter: `harmonySystem` of the fields tells whether the text is
 * the exact one.
 *
 * @example
 * ```ts
 * import { harmonySystem, readHarmonySystem } from 'openchatml/convert';
 *
 * console.log(readHarmonySystem(harmonySystem({ reasoningEffort: 'low' }))?.reasoningEffort); // low
 * ```
 */
export function readHarmonySystem(text: string): HarmonySystem | null {
  const lines = text.split('\n');
  const system: { -readonly [K in keyof HarmonySystem]: HarmonySystem[K] } = {};
  dropBlank(lines);
  if (lines.at(-1) === FUNCTIONS) {
    lines.pop();
    system.functionTools = true;
  }
  const channels = readChannels(lines.at(-1));
  if (channels) {
    lines.pop();
    Object.assign(system, channels);
  } else if (system.functionTools) {
    return null;
  }
  const tools = lines.indexOf(TOOLS);
  if (tools >= 0) {
    system.builtinTools = lines.splice(tools).slice(1).join('\n').replace(/^\n/, '');
    // The blank line before the channels is the layout's.
    if (channels && system.builtinTools.endsWith('\n')) system.builtinTools = system.builtinTools.slice(0, -1);
  }
  dropBlank(lines);
  const effort = after(EFFORT, lines.at(-1));
  if (effort !== null && effort !== '' && !effort.includes(' ')) {
    lines.pop();
    system.reasoningEffort = effort;
  }
  if (!channels && system.reasoningEffort === undefined) return null;
  dropBlank(lines);
  readTop(lines, system);
  return system;
}

function dropBlank(lines: string[]): void {
  while (lines.at(-1) === '') lines.pop();
}

const after = (prefix: string, line: string | undefined): string | null =>
  line?.startsWith(prefix) ? line.slice(prefix.length) : null;

function readChannels(line: string | undefined): Pick<HarmonySystem, 'channels' | 'channelRequired'> | null {
  let names = after(CHANNELS, line);
  if (names === null) return null;
  const channelRequired = names.endsWith(REQUIRED);
  if (channelRequired) names = names.slice(0, -REQUIRED.length);
  if (!names.endsWith('.')) return null;
  return { channels: names.slice(0, -1).split(', '), ...(!channelRequired && { channelRequired }) };
}

/** Identity, knowledge cutoff and date: the lines that are left, from the last one up. */
function readTop(lines: string[], system: { -readonly [K in keyof HarmonySystem]: HarmonySystem[K] }): void {
  const date = after(DATE, lines.at(-1));
  if (date !== null) {
    system.currentDate = date;
    lines.pop();
  }
  const cutoff = after(CUTOFF, lines.at(-1));
  if (cutoff !== null) {
    system.knowledgeCutoff = cutoff;
    lines.pop();
  }
  if (lines.length > 0) system.identity = lines.join('\n');
}
