// What the report page shows: tiles of the sums, and sections with their tables, as HTML; the data of plots apart.

import type { Severity } from '../../errors.ts';
import type { PlotData } from './plots.ts';
import { findingsSection } from './findings.ts';
import { number, percent } from './html.ts';
import {
  allBodies, callsSection, callSums, lengthsSection, messagesSection, type Section, transcriptsSection,
} from './sections.ts';
import { sizeText } from '../size-text.ts';
import { Statistics, type StatisticsJson } from './statistics.ts';
import { total } from './totals.ts';

const SECTIONS = [findingsSection, messagesSection, lengthsSection, transcriptsSection, callsSection];

export interface ReportBody {
  readonly html: string;
  readonly plots: readonly PlotData[];
}

/**
 * The body of a report. All text of the data in it is escaped. Throws a TypeError when `json` does not have the form
 * that `Statistics` gives.
 */
export function reportBody(json: StatisticsJson, seconds?: number): ReportBody {
  // Numbers go into the page as they are: what is none must not get there.
  const statistics = Statistics.fromJSON(json).toJSON();
  const sections = SECTIONS.map((section) => section(statistics));
  const links = sections.map(({ id, title: name }) => `<li><a href="#${id}">${name}</a></li>`).join('');
  const html = `${tiles(statistics, seconds)}<nav aria-label="Sections"><ul>${links}</ul></nav>
${sections.map(sectionHtml).join('')}`;
  return { html, plots: sections.flatMap(({ plots = [] }) => plots) };
}

const sectionHtml = ({ id, title, html }: Section): string =>
  `<section id="${id}">\n<h2>${title}</h2>\n${html}</section>\n`;

interface Tile {
  readonly name: string;
  readonly html: string;
  readonly note?: string;
  readonly look?: 'error' | 'warning';
}

function tiles(statistics: StatisticsJson, seconds: number | undefined): string {
  const { calls, failing } = callSums(statistics);
  const bodies = allBodies(statistics);
  const countOf = (severity: Severity): number => total(statistics.findings.map((finding) => finding[severity]));
  const [errors, warnings] = [countOf('error'), countOf('warning')];
  const { pairs, other } = statistics.messages;
  const hidden = bodies.count - total([...pairs, other].map(({ visible }) => visible.messages));
  const shown: Tile[] = [
    { name: 'files', html: number(statistics.files) },
    { name: 'bytes', html: sizeText(statistics.bytes), note: `${number(statistics.bytes)} bytes` },
  ];
  if (statistics.records > 0) {
    const bad = statistics.bad_records;
    const note = bad > 0 ? `${number(bad)} cannot be read` : 'all can be read';
    shown.push({ name: 'records', html: number(statistics.records), note });
  }
  shown.push(
    { name: 'transcripts', html: number(statistics.transcripts.messages.count) },
    {
      name: 'messages',
      html: number(bodies.count),
      note: bodies.count > 0 ? `${percent(hidden, bodies.count)} hidden` : '',
    },
    { name: 'calls', html: number(calls), note: calls > 0 ? `${number(failing)} with an error` : '' },
    { name: 'errors', html: number(errors), ...(errors > 0 && { look: 'error' }) },
    { name: 'warnings', html: number(warnings), ...(warnings > 0 && { look: 'warning' }) },
    { name: 'infos', html: number(countOf('info')) },
  );
  if (seconds !== undefined && seconds > 0) {
    const speed = sizeText(Math.round(statistics.bytes / seconds));
    shown.push({ name: 'throughput', html: `${speed}/s`, note: `${seconds.toFixed(1)} s` });
  }
  return `<dl class="tiles">\n${shown.map(tileHtml).join('')}</dl>\n`;
}

const tileHtml = ({ name, html, note = '', look }: Tile): string =>
  `<div${look ? ` class="${look}"` : ''}><dt>${name}</dt><dd>${html}${note && `<small>${note}</small>`}</dd></div>\n`;
