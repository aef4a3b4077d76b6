import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Flow } from '../../../src/corpus/jobs/flow.ts';
import { findInputs } from '../../../src/corpus/input/paths.ts';
import { leaveKit, takeKit } from '../../../src/corpus/jobs/open.ts';

test('readings that go on at the same time have scanners of their own, and leave them to the next', () => {
  const [first, second] = [takeKit(), takeKit()];
  expect(second).not.toBe(first);
  const { machine, records } = first;
  leaveKit(first);
  const again = takeKit();
  expect(again).toBe(first);
  expect([again.machine, again.records]).toEqual([machine, records]);
  leaveKit(again);
  leaveKit(second);
});

test('the next reading has a budget of its own for schemas', () => {
  const kit = takeKit();
  const { budget } = kit.tools;
  budget.begin(0);
  const { steps } = budget;
  budget.spend(1000);
  budget.begin(1);
  expect(budget.steps).toBe(steps - 1000);
  leaveKit(kit);
  expect(takeKit()).toBe(kit);
  budget.begin(0);
  expect(budget.steps).toBe(steps);
  leaveKit(kit);
});

test('no more than four are kept', () => {
  const taken = Array.from({ length: 6 }, takeKit);
  taken.forEach(leaveKit);
  const again = Array.from({ length: 6 }, takeKit);
  expect(again.filter((kit) => taken.includes(kit))).toHaveLength(4);
  again.forEach(leaveKit);
});

test('a reading that is given up leaves its scanners', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'openchatml-open-'));
  try {
    const path = join(folder, 'a.jsonl');
    writeFileSync(path, '{\n');
    let pieces = 0;
    const kit = takeKit();
    leaveKit(kit);
    const flow = new Flow({ threads: 1, work: { kind: 'check', tools: [] }, read: () => ({}), tellsAtEnd: false });
    for await (const event of flow.events(findInputs([path], -1))) {
      if (event.kind !== 'piece') continue;
      pieces++;
      const other = takeKit();
      expect(other).not.toBe(kit);
      break;
    }
    expect(pieces).toBe(1);
    expect(takeKit()).toBe(kit);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
