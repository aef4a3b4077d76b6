// What waits in order, and what is done in any order.
import { expect, test } from 'vitest';
import { Queue, Queues } from '../../src/rules/queue.ts';
import { randomOf, SEED } from '../random.ts';

test(`the first that is not done (OPENCHATML_SEED=${SEED})`, () => {
  const random = randomOf(SEED);
  const queue = new Queue<{ isDone: boolean }>();
  const items: { isDone: boolean }[] = [];
  for (let run = 0; run < 20_000; run++) {
    if (random.once(2)) {
      const item = { isDone: false };
      items.push(item);
      queue.add(item);
    } else if (items.length > 0) {
      (random.once(2)
        ? items.at(-1 - random.below(Math.min(items.length, 40)))
        : items.find(({ isDone }) => !isDone) ?? items[0])!.isDone = true;
    }
    while (items[0]?.isDone) items.shift();
    expect(queue.first()).toBe(items[0]);
  }
});

test('a name that nobody waits by is forgotten and may come again', () => {
  const queues = new Queues<{ isDone: boolean }>();
  const [a, b] = [{ isDone: false }, { isDone: false }];
  queues.add('a', a);
  expect([queues.first('a'), queues.first('b')]).toEqual([a, undefined]);
  a.isDone = true;
  expect(queues.first('a')).toBeUndefined();
  queues.add('a', b);
  expect(queues.first('a')).toBe(b);
});
