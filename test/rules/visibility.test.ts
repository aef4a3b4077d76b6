// Who may see a message: every reason for hiding (R-VISIBLE and what other rulings add), the opt-ins, and the refusal.
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { Message } from '../../src/model/message.ts';
import { parseOn } from '../../src/model/parse.ts';
import type { TranscriptInfo } from '../../src/model/transcript.ts';
import type { ReadOptions } from '../../src/model/walk.ts';
import { MemorySource } from '../../src/scan/source.ts';
import { WasmMachine } from '../../src/scan/wasm.ts';
import { hiddenReason, isVisible, show, type ShowOptions, VisibilityError } from '../../src/rules/visibility.ts';
import { ENABLED, HARMONY, HIDDEN, REQUIRED, SHOWN } from './visibility-cases.ts';

const MACHINE = new WasmMachine();
type Asked = [message: Message, transcript: TranscriptInfo, source: MemorySource];

/** What is asked of the last message of a text. */
function last(text: string, options: ReadOptions = {}): Asked {
  const bytes = new TextEncoder().encode(text);
  const parsed = parseOn(MACHINE, bytes, options);
  const transcript = parsed.transcripts.at(-1)!;
  return [transcript.at(-1)!, transcript.info, new MemorySource(bytes)];
}

test.each(SHOWN)('shown: %j %j', (text, options) => {
  const asked = last(text, options);
  expect([hiddenReason(...asked), isVisible(...asked)]).toEqual([null, true]);
  expect(show(...asked)).toContain('SECRET');
});

test.each(HIDDEN)('hidden for its %s: %j %j', (reason, text, options) => {
  const asked = last(text, options);
  expect([hiddenReason(...asked), isVisible(...asked)]).toEqual([reason, false]);
  let error: unknown;
  try {
    show(...asked);
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toBeInstanceOf(VisibilityError);
  expect(error).toMatchObject({ name: 'VisibilityError', code: 'E-PERM-VISIBILITY', reason, from: asked[0].from });
  const told = inspect(error, { depth: Infinity, showHidden: true }) + JSON.stringify(error);
  expect((error as Error).stack + told).not.toContain('SECRET');
  expect(show(...asked, { debug: true })).toBe(asked[0].content);
  // No value but true opens anything.
  for (const debug of ['false', 1, {}, null]) {
    expect(() => show(...asked, { debug } as unknown as ShowOptions)).toThrow(VisibilityError);
  }
});

test('every reason is in the list above', () => {
  const reasons = [
    'ambiguous', 'call', 'channel', 'intent', 'missing-channel', 'missing-start', 'open-turn', 'recipient', 'role',
  ];
  expect([...new Set(HIDDEN.map(([reason]) => reason))].sort()).toEqual(reasons);
});

describe('opt-ins', () => {
  const commentary = (extra: string, end = '<|end|>'): string => {
    return `<|start|>assistant${extra}<|channel|>commentary<|message|>Plan${end}`;
  };

  test('harmonyPreambles shows commentary to nobody, in the profile harmony only', () => {
    const opened = { harmonyPreambles: true };
    for (const asked of [last(commentary(''), HARMONY), last(ENABLED + commentary(''))]) {
      expect(isVisible(...asked)).toBe(false);
      expect(show(...asked, opened)).toBe('Plan');
      expect(isVisible(...asked, { missingChannel: true })).toBe(false);
      expect(isVisible(...asked, { harmonyPreambles: 'yes' as unknown as boolean })).toBe(false);
    }
    const shut: Asked[] = [
      last(commentary('')),
      last(`version: 2.2\nprofiles:\n  harmony:\n    enabled: false\n---\n${commentary('')}`),
      ...[' to=functions.f', ' to=assistant', ' to=', ' to=a to=b'].map((extra) => last(commentary(extra), HARMONY)),
      ...[' intent=debug', ' intent=status', ' analysis', ' user'].map((extra) => last(commentary(extra), HARMONY)),
      last(commentary('', '<|call|>'), HARMONY),
      last(commentary('').replace('commentary', 'analysis'), HARMONY),
      last(commentary('').replace('assistant', 'user'), HARMONY),
      last(commentary('').replace('assistant', 'functions.f'), HARMONY),
    ];
    for (const asked of shut) expect(isVisible(...asked, opened)).toBe(false);
  });

  test('missingChannel shows messages without a required channel as final, and nothing else', () => {
    const opened = { missingChannel: true };
    const bare = '<|start|>assistant<|message|>Hi<|end|>';
    for (const asked of [last(REQUIRED + bare), last(bare, HARMONY)]) {
      expect(isVisible(...asked, { harmonyPreambles: true })).toBe(false);
      expect(show(...asked, opened)).toBe('Hi');
    }
    const others = [
      'tool name=f', 'system', 'assistant to=functions.f', 'assistant intent=debug', 'assistant system', 'robot',
    ];
    for (const words of others) {
      expect(isVisible(...last(`${REQUIRED}<|start|>${words}<|message|>Hi<|end|>`), opened)).toBe(false);
    }
    const gap = last('<|start|>user<|message|>a<|end|>analysis<|message|>thought<|end|>', HARMONY);
    expect(hiddenReason(...gap, opened)).toBe('missing-start');
  });
});

test('a wrong call throws', () => {
  const [message, , source] = last('<|start|>user<|message|>a<|end|>');
  for (const wrong of [undefined, {}, { dialect: 'harmony' }]) {
    expect(() => isVisible(message, wrong as unknown as TranscriptInfo, source)).toThrow(TypeError);
  }
});
