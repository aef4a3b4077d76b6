// The turn loop with malformed outputs of real models: no run fails, and every call has its outcome.
import { describe, expect, test } from 'vitest';
import { isToolRecipient } from '../../../src/model/attributes.ts';
import type { ToolHandler } from '../../../src/runtime/router/types.ts';
import { readFixtures } from '../../fixture.ts';
import { ANSWER, refuseUnhandled, routerOf, run, shown } from './script.ts';

refuseUnhandled();

describe('outputs of real models that went wrong', () => {
  const pages = readFixtures().filter(({ name }) => /^(wild|disagreements)\//.test(name));
  test.each(pages.map((page) => [page.name, page] as const))('%s', async (_, { input }) => {
    const text = new TextDecoder().decode(input);
    for (const dialect of ['harmony', 'openchatml-2.2', 'openchatml-2.0', 'openchatml-0.1'] as const) {
      const given: string[] = [];
      const note: ToolHandler = (value) => {
        given.push(JSON.stringify(value));
        return null;
      };
      const router = routerOf({
        tools: [],
        handlers: { 'functions.*': note, 'browser.*': note, 'container.*': note, python: note },
      });
      const answer = dialect === 'openchatml-0.1' ? 'It rains.<|im_end|>' : ANSWER;
      const { stop, outcomes, messages, events } = await run([text, answer], { dialect, router, neutralise: true }, 3);
      const called = messages.filter(
        ({ role, recipient, end }) => role === 'assistant' && (end === 'call' || isToolRecipient(recipient ?? null)),
      );
      expect(['final', 'length', 'unanswered', 'rounds']).toContain(stop);
      if (stop !== 'length') expect(outcomes.length).toBe(called.length);
      expect(given.length).toBe(outcomes.filter(({ status }) => status === 'ok').length);
      expect(messages.slice(1).every(({ role }) => role === 'assistant' || role === 'tool')).toBe(true);
      // What the loop keeps as shown was shown.
      const kept = messages.filter(
        ({ role, channel, intent }) => role === 'assistant' && channel === 'final' && intent !== 'debug',
      );
      for (const { content, marked, recipient } of kept)
        if (!marked && !isToolRecipient(recipient ?? null)) expect(shown(events)).toContain(content);
    }
  });
});
