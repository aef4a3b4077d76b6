// The section of the report page about what is wrong: findings by rule, and of each rule the first ones with their
// places.

import { type Rule, RULES, type Severity } from '../../errors.ts';
import {
  barCell, type Cell, column, number, numberCell, numberColumn, table, text, textCell, wordsColumn,
} from './html.ts';
import type { Section } from './sections.ts';
import type { FindingsJson, StatisticsJson } from './statistics-json.ts';
import type { Sample } from './statistics-samples.ts';

const SEVERITIES: readonly Severity[] = ['error', 'warning', 'info'];

const sumOf = (finding: FindingsJson): number => finding.error + finding.warning + finding.info;

const severityOf = (finding: FindingsJson): Severity => SEVERITIES.find((severity) => finding[severity] > 0) ?? 'info';

/** Statistics may come from elsewhere, with rules that are not known here. */
const ruleOf = (name: string): Rule | undefined =>
  (Object.hasOwn(RULES, name) ? RULES[name as keyof typeof RULES] : undefined);

const codeOf = (rule: string): string => `<code class="rule">${text(rule)}</code>`;

/** Worst first, then most. */
function compare(a: FindingsJson, b: FindingsJson): number {
  const rank = (finding: FindingsJson): number => SEVERITIES.indexOf(severityOf(finding));
  return rank(a) - rank(b) || sumOf(b) - sumOf(a) || (a.rule < b.rule ? -1 : 1);
}

export function findingsSection({ findings }: StatisticsJson): Section {
  const section = { id: 'findings', title: 'Findings' };
  if (findings.length === 0) return { ...section, html: '<p>Nothing was found.</p>\n' };
  const sorted = findings.toSorted(compare);
  const most = Math.max(...sorted.map(sumOf));
  const rows = sorted.map((finding, i): Cell[] => {
    const known = ruleOf(finding.rule);
    const severity = severityOf(finding);
    return [
      { html: finding.samples.length > 0 ? `<a href="#found-${i}">${codeOf(finding.rule)}</a>` : codeOf(finding.rule) },
      { html: `<span class="severity ${severity}">${severity}</span>` },
      ...SEVERITIES.map((name) => numberCell(finding[name])), barCell(sumOf(finding), most),
      { html: known ? text(known.text) : '' }, { html: known ? text(known.remedy) : '' },
    ];
  });
  const columns = [
    column('Rule'), column('Worst'), numberColumn('Errors'), numberColumn('Warnings'), numberColumn('Infos'),
    column(''),
    wordsColumn('What is wrong'), wordsColumn('What to do'),
  ];
  const samples = sorted.map((finding, i) => samplesOf(finding, i)).join('');
  const byRule = table(columns, rows, { sortable: true, caption: 'Findings by rule' });
  return { ...section, html: `${byRule}<h3>Where they are</h3>\n${samples}` };
}

function samplesOf(finding: FindingsJson, index: number): string {
  const { rule, samples } = finding;
  if (samples.length === 0) return '';
  const hasRecords = samples.some(({ record }) => record !== null);
  const columns = [
    column('Place'), ...(hasRecords ? [numberColumn('Record')] : []), numberColumn('Byte'), column('Message'),
  ];
  const rows = samples.map((sample) => [
    { html: placeOf(sample) },
    ...(hasRecords ? [sample.record === null ? { html: '' } : numberCell(sample.record)] : []),
    { html: number(sample.from), value: sample.from },
    textCell(sample.message),
  ]);
  const all = sumOf(finding);
  const some = samples.length < all ? `the first ${samples.length} of ${number(all)}` : `${samples.length}`;
  return `<details id="found-${index}"><summary>${codeOf(rule)}: ${some}</summary>
${table(columns, rows, { caption: 'By file, record and position' })}</details>
`;
}

function placeOf({ path, line, column: at }: Sample): string {
  const place = line === null ? '' : `:${line}${at === null ? '' : `:${at}`}`;
  return `<code>${text(path)}${place}</code>`;
}
