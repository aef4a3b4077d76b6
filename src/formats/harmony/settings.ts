// What a document header and Harmony's system message both say: the reasoning effort, and the builtin tools.

import type { MessageData, TranscriptData } from '../../model/data.ts';
import type { HeaderValue } from '../../model/header/text.ts';
import { HARMONY_SYSTEM, type HarmonySystem, readHarmonySystem } from './system.ts';

type Header = NonNullable<TranscriptData['header']>;
type Fields = { readonly [key: string]: HeaderValue };

const isFields = (value: HeaderValue | undefined): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A tool's name that is a heading, and reads back as itself. */
const isName = (value: HeaderValue): value is string => typeof value === 'string' && /^[A-Za-z0-9_.-]+$/.test(value);

/**
 * The text below `# Tools` for builtin tools: in the words of 2.0 §8.1 and 2.2 §8.3, not those of a vendor.
 *
 * @example
 * ```ts
 * import { builtinToolsText } from 'openchatml/convert';
 *
 * console.log(builtinToolsText(['python']).startsWith('## python')); // true
 * ```
 */
export function builtinToolsText(names: readonly string[]): string {
  const said = 'A builtin tool, invocable without a schema.';
  return names.map((name) => `## ${name}\n\n${said} Call it as ${name}, on analysis or commentary.`).join('\n\n');
}

/** The system message that says what a header does, and the header without it. */
export function systemOfHeader(header: Header | null): { system: HarmonySystem; header: Header | null } {
  const settings = header?.['generation_settings'];
  if (!isFields(settings)) return { system: HARMONY_SYSTEM, header };
  const { reasoning_effort: effort, builtin_tools: tools, ...others } = settings;
  const hasEffort = isName(effort ?? null);
  const hasTools = Array.isArray(tools) && tools.every(isName);
  const kept = {
    ...(!hasEffort && effort !== undefined && { reasoning_effort: effort }),
    ...(!hasTools && tools !== undefined && { builtin_tools: tools }),
    ...others,
  };
  const { generation_settings: _, ...rest } = header!;
  return {
    system: {
      ...HARMONY_SYSTEM,
      ...(hasEffort && { reasoningEffort: effort as string }),
      ...(hasTools && tools.length > 0 && { builtinTools: builtinToolsText(tools as string[]) }),
    },
    header: Object.keys(kept).length === 0 ? rest : { ...rest, generation_settings: kept },
  };
}

/** The settings that Harmony's system message tells, as a header has them; null: it tells none. */
export function headerOfSystem(messages: readonly MessageData[]): Header | null {
  const [first] = messages;
  const system = first?.role === 'system' ? readHarmonySystem(first.content) : null;
  if (system === null) return null;
  const { reasoningEffort, builtinTools } = system;
  const names = [...(builtinTools ?? '').matchAll(/^## ([A-Za-z0-9_.-]+)$/gm)].map(([, name]) => name!);
  const settings = {
    ...(typeof reasoningEffort === 'string' && { reasoning_effort: reasoningEffort }),
    ...(names.length > 0 && { builtin_tools: names }),
  };
  return Object.keys(settings).length === 0 ? null : { generation_settings: settings };
}
