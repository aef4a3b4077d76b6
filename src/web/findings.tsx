// What was found: a table that filters, sorts and goes to the place; and a rule explained, with its clause and
// examples.

import { useEffect, useState } from 'preact/hooks';
import { type RuleName, RULES, type Severity } from '../index.ts';
import type { Example } from '../tools.ts';
import type { FindingView } from './analysis.ts';
import { type Fix, fixOf } from './fixes.ts';
import { download } from './save.ts';
import {
  analysis, canUndo, checks, choice, explained, input, openText, replace, select, selection, text, undo,
} from './store.ts';

const SEVERITIES: readonly Severity[] = ['error', 'warning', 'info'];
const SHAPES: Record<Severity, string> = { error: '✖', warning: '▲', info: '●' };
/** Rows that are shown; the filter finds the others. */
const MOST_ROWS = 500;

type Key = 'severity' | 'rule' | 'from';

const compare: Record<Key, (a: FindingView, b: FindingView) => number> = {
  severity: (a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity),
  rule: (a, b) => (a.rule < b.rule ? -1 : a.rule > b.rule ? 1 : 0),
  from: (a, b) => a.from - b.from,
};

function Head({ name, title, sort, onSort }: {
  name: Key; title: string; sort: { key: Key; down: boolean }; onSort: (key: Key) => void;
}) {
  const isSorted = sort.key === name;
  return (
    <th scope="col" aria-sort={isSorted ? (sort.down ? 'descending' : 'ascending') : 'none'}>
      <button type="button" class="sorter" onClick={() => onSort(name)}>
        {title}<span aria-hidden="true">{isSorted ? (sort.down ? ' ↓' : ' ↑') : ' ↕'}</span>
      </button>
    </th>
  );
}

export function Findings() {
  const [wanted, setWanted] = useState('');
  const [severity, setSeverity] = useState<Severity | 'all'>('all');
  const [sort, setSort] = useState<{ key: Key; down: boolean }>({ key: 'from', down: false });
  const { findings } = analysis.value;
  const found = findings.filter((finding) => {
    const isWanted = `${finding.rule} ${finding.code ?? ''} ${finding.message}`.toLowerCase().includes(wanted);
    return isWanted && (severity === 'all' || finding.severity === severity);
  }).sort((a, b) => compare[sort.key](a, b) * (sort.down ? -1 : 1));
  const countOf = (one: Severity): number => findings.filter((finding) => finding.severity === one).length;
  const onSort = (key: Key): void => setSort({ key, down: sort.key === key && !sort.down });
  return (
    <div class="findings">
      <div class="bar">
        <label class="search">Filter <input type="search" value={wanted} onInput={(event) => {
          setWanted(event.currentTarget.value.toLowerCase());
        }} /></label>
        <div role="group" aria-label="Severity" class="chips">
          <button type="button" aria-pressed={severity === 'all'} onClick={() => setSeverity('all')}>
            all {findings.length}
          </button>
          {SEVERITIES.map((one) => (
            <button type="button" class={one} aria-pressed={severity === one} key={one}
              onClick={() => setSeverity(one)}>
              <span aria-hidden="true">{SHAPES[one]}</span> {one} {countOf(one)}
            </button>
          ))}
        </div>
        <button type="button" disabled={!canUndo.value} onClick={undo}>Undo fix</button>
        <button type="button" disabled={input.value.bytes.length === 0} onClick={() => void save()}>
          Save as JSON
        </button>
        {!checks.value.isFull && <span class="note">Calls are checked in a moment…</span>}
      </div>
      {findings.length === 0
        ? <p class="empty">{input.value.bytes.length === 0 ? 'There is no text yet.' : 'Nothing is wrong.'}</p>
        : <div class="scroller" role="region" aria-label="Findings" tabIndex={0}>
          <table>
            <thead><tr>
              <Head name="severity" title="Severity" sort={sort} onSort={onSort} />
              <Head name="rule" title="Rule" sort={sort} onSort={onSort} />
              <Head name="from" title="Place" sort={sort} onSort={onSort} />
              <th scope="col">What is wrong</th><th scope="col">Fix</th>
            </tr></thead>
            <tbody>{found.slice(0, MOST_ROWS).map((finding, i) => <Row finding={finding} key={i} />)}</tbody>
          </table>
          {found.length > MOST_ROWS && <p class="note">{found.length - MOST_ROWS} more: filter to see them.</p>}
        </div>}
    </div>
  );
}

/** Messages and findings go to a file. */
async function save(): Promise<void> {
  const { resultsJson } = await import('./results.ts');
  const { name, bytes, record } = input.peek();
  const json = resultsJson(bytes, choice.peek(), record);
  download(`${(name || 'transcript').replace(/\.[^.]*$/, '')}.findings.json`, json, 'application/json');
}

export function showFinding(finding: FindingView): void {
  explained.value = finding.rule;
  select(finding);
}

function Row({ finding }: { finding: FindingView }) {
  const { severity, rule, line, column, from, to, message, pointer } = finding;
  const span = selection.value;
  const isSelected = explained.value === rule && span?.from === from && span.to === to;
  const fix = fixOf(finding, analysis.value, text.value);
  return (
    <tr class={isSelected ? 'selected' : ''}>
      <td><span class={`severity ${severity}`}><span aria-hidden="true">{SHAPES[severity]}</span> {severity}</span></td>
      <td><button type="button" class="link" onClick={() => showFinding(finding)}>{rule}</button></td>
      <td class="place">
        <button type="button" class="link" title={`bytes ${from} to ${to}`} onClick={() => showFinding(finding)}>
          {line}:{column}
        </button>
      </td>
      <td>{message}{pointer !== null && <> <code class="pointer">{pointer}</code></>}</td>
      <td>{fix !== null && <FixButton fix={fix} />}</td>
    </tr>
  );
}

const FixButton = ({ fix }: { fix: Fix }) =>
  <button type="button" class="fix" onClick={() => replace(fix.edits)}>{fix.title}</button>;

export function Explain() {
  const [examples, setExamples] = useState<Readonly<Record<RuleName, Example>> | null>(null);
  useEffect(() => void import('./examples.ts').then(({ EXAMPLES }) => setExamples(EXAMPLES)), []);
  const name = explained.value as RuleName | null;
  if (name === null || !Object.hasOwn(RULES, name)) {
    return <p class="empty">Choose a finding, and its rule is explained here.</p>;
  }
  const { code, severity, clause, text, remedy } = RULES[name];
  const example = examples?.[name];
  const isRecord = example?.areRecords === true;
  return (
    <article class="explain" aria-live="polite">
      <h3><code>{name}</code>{code !== null && <span class="code"> {code}</span>}</h3>
      <p>{text[0]!.toUpperCase() + text.slice(1)}. <strong>{remedy[0]!.toUpperCase() + remedy.slice(1)}.</strong></p>
      <p class="note">
        {severity === 'declared' ? 'An error where the version is declared, else a warning' : `Severity: ${severity}`};
        {' '}{clause}
      </p>
      {example !== undefined && <>
        <ExampleText title="Not so" text={example.bad} name={`${name}, not so`} isRecord={isRecord} />
        <ExampleText title="But so" text={example.good} name={`${name}, but so`} isRecord={isRecord} />
      </>}
    </article>
  );
}

function ExampleText({ title, text, name, isRecord }: {
  title: string; text: string | Uint8Array; name: string; isRecord: boolean;
}) {
  const words = typeof text === 'string' ? text : new TextDecoder().decode(text);
  return (
    <figure class="example">
      <figcaption>{title}
        {!isRecord && <button type="button" class="link" onClick={() => openText(name, text)}>open</button>}
      </figcaption>
      <pre tabIndex={0} role="region" aria-label={`${title}, as text`}>{words}</pre>
    </figure>
  );
}
