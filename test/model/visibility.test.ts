// Who may see a message: every reason for hiding (R-VISIBLE and what other rulings add), the opt-ins, and the refusal.
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { Message } from '../../src/model/message.ts';
import { parseOn } from '../../src/model/parse.ts';
import type { ReadOptions } from '../../src/model/walk.ts';
import { WasmMachine } from '../../src/scan/wasm.ts';
import { type ShowOptions, VisibilityError } from '../../src/model/visibility.ts';
import { ENABLED, HARMONY, HIDDEN, REQUIRED, SHOWN } from './visibility-cases.ts';

const MACHINE = new WasmMachine();

/** The last message of a text. */
function last(text: string, options: ReadOptions = {}): Message {
  return parseOn(MACHINE, text, options).transcripts.at(-1)!.at(-1)!;
}

test.each(SHOWN)('shown: %j %j', (text, options) => {
  const asked = last(text, options);
  expect([asked.hiddenReason(), asked.isVisible]).toEqual([null, true]);
  expect(asked.show()).toContain('SECRET');
});

test.each(HIDDEN)('hidden for its %s: %j %j', (reason, text, options) => {
  const asked = last(text, options);
  expect([asked.hiddenReason(), asked.isVisible]).toEqual([reason, false]);
  let error: unknown;
  try {
    asked.show();
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toBeInstanceOf(VisibilityError);
  expect(error).toMatchObject({ name: 'VisibilityError', code: 'E-PERM-VISIBILITY', reason, from: asked.from });
  const told = inspect(error, { depth: Infinity, showHidden: true }) + JSON.stringify(error);
  expect((error as Error).stack + told).not.toContain('SECRET');
  expect(asked.show({ debug: true })).toBe(asked.content);
  // No value but true opens anything.
  for (const debug of ['false', 1, {}, null]) {
    expect(() => asked.show({ debug } as unknown as ShowOptions)).toThrow(VisibilityError);
  }
});

test('hidden for its header, of which only the first 64 KiB are read', () => {
  const asked = last(`<|start|>assistant${' '.repeat(65_536)}<|channel|>analysis<|message|>SECRET<|end|>`);
  expect([asked.hiddenReason(), asked.isVisible]).toEqual(['header-limit', false]);
  expect(() => asked.show({ missingChannel: true, harmonyPreambles: true })).toThrow('(header-limit)');
  expect(asked.show({ debug: true })).toBe('SECRET');
});

test('every other reason is in the list above', () => {
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
      expect(asked.isVisible).toBe(false);
      expect(asked.show(opened)).toBe('Plan');
      expect(asked.hiddenReason({ missingChannel: true }) === null).toBe(false);
      expect(asked.hiddenReason({ harmonyPreambles: 'yes' as unknown as boolean }) === null).toBe(false);
    }
    const shut: Message[] = [
      last(commentary('')),
      last(`version: 2.2\nprofiles:\n  harmony:\n    enabled: false\n---\n${commentary('')}`),
      ...[' to=functions.f', ' to=assistant', ' to=', ' to=a to=b'].map((extra) => last(commentary(extra), HARMONY)),
      ...[' intent=debug', ' intent=status', ' analysis', ' user'].map((extra) => last(commentary(extra), HARMONY)),
      last(commentary('', '<|call|>'), HARMONY),
      last(commentary('').replace('commentary', 'analysis'), HARMONY),
      last(commentary('').replace('assistant', 'user'), HARMONY),
      last(commentary('').replace('assistant', 'functions.f'), HARMONY),
    ];
    for (const asked of shut) expect(asked.hiddenReason(opened) === null).toBe(false);
  });

  test('missingChannel shows messages without a required channel as final, and nothing else', () => {
    const opened = { missingChannel: true };
    const bare = '<|start|>assistant<|message|>Hi<|end|>';
    for (const asked of [last(REQUIRED + bare), last(bare, HARMONY)]) {
      expect(asked.hiddenReason({ harmonyPreambles: true }) === null).toBe(false);
      expect(asked.show(opened)).toBe('Hi');
    }
    const others = [
      'tool name=f', 'system', 'assistant to=functions.f', 'assistant intent=debug', 'assistant system', 'robot',
    ];
    for (const words of others) {
      expect(last(`${REQUIRED}<|start|>${words}<|message|>Hi<|end|>`).hiddenReason(opened) === null).toBe(false);
    }
    const gap = last('<|start|>user<|message|>a<|end|>analysis<|message|>thought<|end|>', HARMONY);
    expect(gap.hiddenReason(opened)).toBe('missing-start');
  });
});
