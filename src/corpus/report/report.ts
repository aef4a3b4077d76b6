// The report: statistics as one HTML page that opens offline. All that it says stands in tables; the one script, which
// the page's policy allows by its hash, adds plots and sorting. Nothing is loaded, and no text of the data is ever read
// as HTML.

import { createHash } from 'node:crypto';
import { PLOT_STYLE, SCRIPT } from './assets.ts';
import { reportBody } from './body.ts';
import { dataBlock, text } from './html.ts';
import type { StatisticsJson } from './statistics.ts';
import { STYLE } from './style.ts';

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

/** Of a path, where a narrow screen may break it; not of a tag. */
const BETWEEN_FOLDERS = /(?<!<)\//g;

/** The page. Throws a TypeError when `json` does not have the form that `Statistics` gives. */
export function writeReport(json: StatisticsJson, meta: ReportMeta): string {
  const { html, plots } = reportBody(json, meta.seconds);
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
${html}<p class="note">${words}</p>
</main>
${dataBlock('plots', plots)}<script>${SCRIPT}</script>
</body>
</html>
`;
}
