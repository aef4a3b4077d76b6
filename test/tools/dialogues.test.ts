// The tool definitions and calls of real dialogues, in every form of the shared data: read, written, checked.
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { gunzipSync } from 'node:zlib';

import { describe, expect, test } from 'vitest';

import type { ToolDefinition } from '../../src/model/data.ts';
import { argumentsForCheck } from '../../src/tools/arguments.ts';
import { ToolCache } from '../../src/tools/cache.ts';
import { toolsOf } from '../../src/tools/message.ts';
import { toolsFromOpenAI } from '../../src/tools/records.ts';
import { writeDeclarations } from '../../src/tools/write-declarations.ts';
import { isAll } from '../long.ts';
import { sharedData } from '../skip.ts';

const folder = sharedData('dialogues');

interface DialogueRecord {
  readonly tools: unknown;
  readonly messages: readonly {
    readonly tool_calls?: readonly { readonly function: { readonly name: string; readonly arguments: string } }[];
  }[];
}

function load(name: string): string {
  return gunzipSync(readFileSync(`${folder}/${name}.gz`)).toString('utf8');
}

function records(): DialogueRecord[] {
  return load('messages.jsonl').trimEnd().split('\n').map((line) => JSON.parse(line) as DialogueRecord);
}

/** Texts between a start and the next end. */
function bodies(name: string, start: string, end: string): string[] {
  return load(name).split(start).slice(1).map((text) => text.slice(0, text.indexOf(end)));
}

describe.skipIf(folder === null || !isAll)('dialogues', () => {
  const all = folder === null || !isAll ? [] : records();
  const tools: (readonly ToolDefinition[])[] = all.map((record) => toolsFromOpenAI(record.tools).tools);

  test.each([
    ['harmony.txt', 'harmony', 'developer', '<|start|>developer<|message|>', '<|end|>'],
    ['openchatml-2.2.txt', 'openchatml-2.2', 'developer', '<|start|>developer<|message|>', '<|end|>'],
    ['chatml-0.1.txt', 'openchatml-0.1', 'system', '<|im_start|>system\n', '<|im_end|>'],
  ] as const)('%s defines the tools of the records', (name, dialectId, role, start, end) => {
    const contents = bodies(name, start, end);
    expect(contents).toHaveLength(all.length);
    for (const [index, content] of contents.entries()) {
      const { tools: defined, problems } = toolsOf({ role, content, dialectId });
      const known = { tools: tools[index]!, problems: [] };
      const read = { tools: defined, problems };
      if (!isDeepStrictEqual(read, known)) expect(read).toEqual(known);
    }
  });

  test('the declarations are what is written of the records', () => {
    const contents = bodies('harmony.txt', '<|start|>developer<|message|>', '<|end|>');
    for (const [index, content] of contents.entries()) {
      const written = writeDeclarations(tools[index]!);
      if (written.losses.length > 0 || written.text !== content) {
        expect(written).toEqual({ text: content, losses: [], problems: [] });
      }
    }
  });

  test('every call is checked against its tool', () => {
    const cache = new ToolCache();
    const found: { [keyword: string]: number } = {};
    let calls = 0;
    for (const [index, record] of all.entries()) {
      const byName = new Map(tools[index]!.map((tool) => [tool.name, tool]));
      for (const { function: call } of record.messages.flatMap((message) => message.tool_calls ?? [])) {
        const definition = byName.get(call.name)!;
        const finding = cache.get(definition).check(argumentsForCheck(JSON.parse(call.arguments), definition));
        if (finding) found[finding.keyword] = (found[finding.keyword] ?? 0) + 1;
        calls++;
      }
    }
    const { calls: expected } = JSON.parse(readFileSync(`${folder}/expected.json`, 'utf8')) as { calls: number };
    expect(calls).toBe(expected);
    // 18 reservations lack a field that their tool requires.
    expect(found).toEqual({ required: 18 });
    expect(cache.size).toBeLessThan(1024);
  });
});
