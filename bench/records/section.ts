// The section records: chat records in JSON lines by every command, warm, beside a loop of JSON.parse and others.
import { measured } from '../group.ts';
import type { Outcome, Settings } from '../sections.ts';
import { allRows, type Measuring, variantRows } from './rows.ts';
import { VARIANTS } from './variants.ts';

/** Measures all variants; `wanted`: variants or rows by name, or null for all. */
export async function records(
  wanted: readonly string[] | null, measuring: Measuring, settings: Settings,
): Promise<Outcome> {
  const total: Outcome = { results: [], wrong: 0 };
  const named = VARIANTS.filter(({ name }) => wanted?.includes(name));
  for (const variant of named.length > 0 ? named : VARIANTS) {
    const isFirst = variant === VARIANTS[0];
    const group = isFirst ? await allRows(variant, measuring) : variantRows(variant, measuring);
    try {
      const { about, right: counts } = group;
      const made = { name: 'chat records', about, notation: 'openchatml-2.2', path: '', counts } as const;
      const rows = named.length > 0 ? null : wanted;
      const { results, wrong } = await measured('records', `${variant.name}, ${about}`, group, rows, made, settings);
      total.results.push(...results);
      total.wrong += wrong;
    } finally {
      group.close();
    }
  }
  return total;
}
