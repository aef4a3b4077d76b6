// Statistics of an input: its messages with their findings, as a run over a corpus gives them.
import { MESSAGE } from '../../../src/abi.ts';
import type { Statistics } from '../../../src/corpus/report/statistics.ts';
import type { Diagnostic } from '../../../src/errors.ts';
import { readYaml } from '../../../src/model/header/yaml.ts';
import { Message } from '../../../src/model/message.ts';
import { PartWalk } from '../../../src/model/part-walk.ts';
import type { ReadOptions } from '../../../src/model/walk.ts';
import type { Machine } from '../../../src/scan/machine.ts';
import { MemorySource } from '../../../src/scan/source.ts';
import { kindOf, nextOf, toOf } from '../../../src/scan/table.ts';
import { checkSource } from '../../../src/rules/check-source.ts';

/** Adds an input to `statistics`. Findings are told after the message that they are in. */
export function collect(
  statistics: Statistics, machine: Machine, path: string, input: Uint8Array, options: ReadOptions = {},
): void {
  const all = [...checkSource(machine, new MemorySource(input), options)];
  const late = all.filter(({ rule }) => rule === 'open-call');
  const findings = all.filter(({ rule }) => rule !== 'open-call').sort((a, b) => a.from - b.from || a.to - b.to);
  let told = 0;
  const tell = (finding: Diagnostic): void =>
    statistics.diagnostic(finding, {
      path, record: null, from: finding.from, place: () => ({ line: 1, column: finding.from + 1 }),
    });
  const walk = new PartWalk(machine, new MemorySource(input), { yaml: readYaml, ...options });
  const { divider } = walk;
  let to = 0;
  let count = 0;
  for (const batch of walk.batches()) {
    for (let row = batch.from; row < batch.to; row = nextOf(batch, row)) {
      const before = divider.current;
      if (divider.place(batch, row) && before) statistics.transcriptEnd(before, count, to);
      count = divider.messages;
      to = toOf(batch, row);
      if (kindOf(batch, row) !== MESSAGE) continue;
      const message = new Message(batch, row, divider.context);
      statistics.message(message, divider.current!, batch.source);
      // What is found at the very end of a body is empty; the next message may begin there.
      const isIn = ({ from, to: end }: Diagnostic): boolean =>
        from < message.to || (from === message.to && from === end);
      while (told < findings.length && isIn(findings[told]!)) tell(findings[told++]!);
    }
  }
  if (divider.current) statistics.transcriptEnd(divider.current, count, to);
  for (const finding of [...findings.slice(told), ...late]) tell(finding);
  statistics.file(input.length);
}
