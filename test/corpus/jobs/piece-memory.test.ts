// Pieces that nobody has taken yet are never written over, and every piece finds room in time.
import { expect, test } from 'vitest';
import { AHEAD, LARGEST_PIECE, PiecePlaces } from '../../../src/corpus/jobs/piece-memory.ts';
import { runs } from '../../long.ts';
import { randomOf, SEED } from '../../random.ts';

test(`pieces of any length, taken at any time (OPENCHATML_SEED=${SEED})`, () => {
  for (let round = 0; round < runs(400); round++) {
    const random = randomOf(SEED + round);
    const room = random.pick([5, 10]) * LARGEST_PIECE;
    const places = new PiecePlaces(room);
    const waiting: { from: number; to: number }[] = [];
    let [given, taken] = [0, 0];
    for (let step = 0; step < 200; step++) {
      if (waiting.length === AHEAD || (waiting.length > 0 && random.once(3))) {
        waiting.shift();
        taken++;
        continue;
      }
      if (random.once(6)) {
        places.pass(given++);
        waiting.push({ from: 0, to: 0 });
        continue;
      }
      const length = random.pick([1 + random.below(400), LARGEST_PIECE]);
      let at = places.place(given, length, taken);
      while (at < 0) {
        expect(waiting.length, `seed ${SEED}, round ${round}`).toBeGreaterThan(0);
        waiting.shift();
        at = places.place(given, length, ++taken);
      }
      const to = at + length;
      expect(to).toBeLessThanOrEqual(room);
      for (const other of waiting) expect(at >= other.to || to <= other.from).toBe(true);
      waiting.push({ from: at, to });
      given++;
    }
  }
});
