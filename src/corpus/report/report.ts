// The report: statistics as one HTML page that opens offline. All that it says stands in tables; the one script, which
// the page's policy allows by its hash, adds plots and sorting. Nothing is loaded, and no text of the data is ever read
// as HTML.

import { createHash } from 'node:crypto';
import type { Severity } from '../../errors.ts';
import { PLOT_STYLE, SCRIPT } from './assets.ts';
import { findingsSection } from './findings.ts';
import { bytes, dataBlock, number, percent, text } from './html.ts';
import {
  allBodies, callsSection, callSums, lengthsSection, messagesSection, type Section, transcriptsSection,
} from './sections.ts';
import { total } from './totals.ts';
import { STYLE } from './style.ts';
import { Statistics, type StatisticsJson } from './statistics.ts';

export interface ReportMeta {
  /** Names of the inputs. */
  readonly title: string;
  /** Of this program. */
  readonly version: string;
  /** What reading took; without it the page is the same for the same statistics. */
  readonly seconds?: number | undefined;
}

const sha256 = (content: string): string => `'sha256-${createHash('sha256').update(content).digest('base64')}'`;

const PAGE_STYLE = `${PLOT_STYLE}\n${STYLE}`;

/**
 * What the page may do: run its script and have its style, and nothing else; no text can become code or markup in it.
 */
const POLICY = `default-src 'none'; script-src ${sha256(SCRIPT)}; style-src ${sha256(PAGE_STYLE)}; `
  + "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

const SECTIONS = [findingsSection, messagesSection, lengthsSection, transcriptsSection, callsSection];

/** Of a path, where a narrow screen may break it; not of a tag. */
const BETWEEN_FOLDERS = /(?<!<)\//g;

/** The page. Throws a TypeError when `json` does not have the form that `Statistics` gives. */
export function writeReport(json: StatisticsJson, meta: ReportMeta): string {
  // Numbers go into the page as they are: what is none must not get there.
  const statistics = Statistics.fromJSON(json).toJSON();
  const sections = SECTIONS.map((section) => section(statistics));
  const links = sections.map(({ id, title: name }) => `<li><a href="#${id}">${name}</a></li>`).join('');
  const words = `Written by openchatml ${text(meta.version)}. Bytes of files are those after decompression.`;
  const title = text(meta.title);
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>Chat transcripts in ${title.replace(/^<bdi>|<\/bdi>$/g, '')} - openchatml</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<main>
<h1>Chat transcripts in ${title.replaceAll(BETWEEN_FOLDERS, '/<wbr>')}</h1>
${tiles(statistics, meta.seconds)}<nav aria-label="Sections"><ul>${links}</ul></nav>
${sections.map(sectionHtml).join('')}<p class="note">${words}</p>
</main>
${dataBlock('plots', sections.flatMap(({ plots = [] }) => plots))}<script>${SCRIPT}</script>
</body>
</html>
`;
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
    { name: 'bytes', html: bytes(statistics.bytes), note: `${number(statistics.bytes)} bytes` },
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
    const speed = bytes(Math.round(statistics.bytes / seconds));
    shown.push({ name: 'throughput', html: `${speed}/s`, note: `${seconds.toFixed(1)} s` });
  }
  return `<dl class="tiles">\n${shown.map(tileHtml).join('')}</dl>\n`;
}

const tileHtml = ({ name, html, note = '', look }: Tile): string =>
  `<div${look ? ` class="${look}"` : ''}><dt>${name}</dt><dd>${html}${note && `<small>${note}</small>`}</dd></div>\n`;
