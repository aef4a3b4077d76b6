import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Flow } from '../../../src/corpus/jobs/flow.ts';
import { findInputs } from '../../../src/corpus/input/paths.ts';
import { leaveContext, takeContext } from '../../../src/corpus/jobs/open.ts';

test('readings that go on at the same time have scanners of their own, and leave them to the next', () => {
  const [first, second] = [takeContext(), takeContext()];
  expect(second).not.toBe(first);
  const { machine, records } = first;
  leaveContext(first);
  const again = takeContext();
  expect(again).toBe(first);
  expect([again.machine, again.records]).toEqual([machine, records]);
  leaveContext(again);
  leaveContext(second);
});

test('the next reading has a budget of its own for schemas', () => {
  const context = takeContext();
  const { budget } = context.tools;
  budget.begin(0);
  const { steps } = budget;
  budget.spend(1000);
  budget.begin(1);
  expect(budget.steps).toBe(steps - 1000);
  leaveContext(context);
  expect(takeContext()).toBe(context);
  budget.begin(0);
  expect(budget.steps).toBe(steps);
  leaveContext(context);
});

test('no more than four are kept', () => {
  const taken = Array.from({ length: 6 }, takeContext);
  taken.forEach(leaveContext);
  const again = Array.from({ length: 6 }, takeContext);
  expect(again.filter((context) => taken.includes(context))).toHaveLength(4);
  again.forEach(leaveContext);
});

test('a reading that is given up leaves its scanners', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'openchatml-open-'));
  try {
    const path = join(folder, 'a.jsonl');
    writeFileSync(path, '{\n');
    let pieces = 0;
    const context = takeContext();
    leaveContext(context);
    const flow = new Flow({ threads: 1, work: { kind: 'check', tools: [] }, read: () => ({}), tellsAtEnd: false });
    for await (const event of flow.events(findInputs([path], -1))) {
      if (event.kind !== 'piece') continue;
      pieces++;
      const other = takeContext();
      expect(other).not.toBe(context);
      break;
    }
    expect(pieces).toBe(1);
    expect(takeContext()).toBe(context);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
