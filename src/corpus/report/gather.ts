// Statistics of one input while it is read, for who shows them live: raw text or records, from any source of bytes.

import { isContainer, isBad, type FileOptions } from '../records/unit.ts';
import { WHOLE } from '../../model/part-walk.ts';
import type { Source } from '../../scan/source.ts';
import { isRows, nextRecord } from '../records/rows.ts';
import { ALL, Units } from '../records/units.ts';
import { Scanners } from '../jobs/scanners.ts';
import { rawStatisticsSteps, StatisticsWorker, type TranscriptWatch } from '../jobs/statistics-job.ts';
import { Statistics, type StatisticsJson } from './statistics.ts';

/** How far the reading is. */
export interface GatheringStep {
  /** Bytes of the input that were read. */
  readonly position: number;
  readonly holdsRecords: boolean;
  /** What is known by now. Made when it is asked for: not for every step. */
  statistics(): StatisticsJson;
}

export interface GatherOptions extends FileOptions {
  /** Is told where each transcript of a raw text begins. */
  readonly watch?: TranscriptWatch | undefined;
}

/**
 * Reads an input and gives steps, each after a piece of it, the last one at its end; statistics are those that
 * `openchatml scan --report` shows. `name` is what findings call the input. Never throws on data.
 */
export function* gatherStatistics(
  name: string, source: Source, { watch, ...options }: GatherOptions = {},
): Generator<GatheringStep, void, void> {
  const scanners = new Scanners();
  const job = { input: { path: name }, tools: [], characters: false, tokens: undefined };
  const finish = (json: StatisticsJson, bytes: number): StatisticsJson => {
    const statistics = Statistics.fromJSON(json);
    statistics.file(bytes);
    return statistics.toJSON();
  };
  if (!isContainer(name, source, options)) {
    const steps = rawStatisticsSteps(scanners, job, source, options, WHOLE, watch);
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done) {
        const { statistics, bytes } = step.value;
        yield { position: bytes, holdsRecords: false, statistics: () => finish(statistics as StatisticsJson, bytes) };
        return;
      }
      const { statistics, position } = step.value;
      yield { position, holdsRecords: false, statistics: () => finish(statistics.toJSON(), position) };
    }
  }
  const worker = new StatisticsWorker(scanners, job, 0, options.positions === 'field');
  const units = new Units(scanners, name, source, options, ALL, 'definitions');
  const step = (): GatheringStep => {
    const position = units.end(Infinity);
    return {
      position, holdsRecords: true, statistics: () => finish(worker.statistics as StatisticsJson, position),
    };
  };
  for (const item of units.items()) {
    if (!isRows(item)) {
      if (isBad(item)) worker.bad(item);
      else worker.take(item);
    } else {
      for (let record = 0; record < item.to;) {
        record = worker.rows!(item, record);
        if (record === item.to) break;
        for (const unit of units.slow(item, record)) {
          if (isBad(unit)) worker.bad(unit);
          else worker.take(unit);
        }
        record = nextRecord(item, record);
      }
    }
    yield step();
  }
  yield step();
}
