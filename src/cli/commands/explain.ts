// `explain`: what a code, a rule or a ruling means, a rule with an example that breaks it and one that keeps it;
// without a name, the list of all codes and rules.

import { isUtf8 } from 'node:buffer';
import type { Code, Rule } from '../../errors.ts';
import { AUDIT_EXAMPLES } from '../../formats/control-tokens/examples.ts';
import type { PlainReadOptions } from '../../model/part-walk.ts';
import { type Example, EXAMPLES } from '../../rules/examples.ts';
import { type RulingName, RULINGS } from '../../rules/rulings.ts';
import { ALL_RULES, type AnyRuleName, ruleOf } from '../diagnostics/rule-of.ts';
import { characterLength, decodeUtf8 } from '../../utf8.ts';
import { nearest } from '../../nearest.ts';
import { Output } from '../output.ts';
import { type ColorChoice, type Colors, colorsFor, escapeLine, escapeText } from '../print.ts';
import { FAILED, OK, tell } from '../invocation.ts';
import type { Host } from '../stream.ts';

export interface ExplainOptions {
  readonly format: 'text' | 'json';
  readonly color: ColorChoice;
}

/** What the codes of 2.2 §14 mean. */
const CODES: Readonly<Record<Code, string>> = {
  'E-PARSE-HEADER': 'a document header or a message header is malformed',
  'E-PARSE-CHANNEL-MISSING': 'a channel is absent where the profile requires one',
  'E-BODY-CONSTRAINT-VIOLATION': 'a body is not of the type that its constrain field declares',
  'E-CALL-SCHEMA': 'a tool call or its reply lacks something, or its arguments are invalid',
  'E-TOOL-TIMEOUT': 'a tool took longer than its deadline_ms',
  'E-TOOL-CANCELLED': 'a tool was cancelled by the runtime',
  'E-STREAM-TRUNCATED': 'the text ends, or the next message begins, before a stop token',
  'E-PERM-VISIBILITY': 'private text was about to be shown to an end user',
};

const NO_RULES = 'No rule has this code: a runtime raises it, and a reply in a transcript that carries it is data.';

/** What a name means; null: nothing. */
interface Topic {
  readonly codes: readonly Code[];
  readonly rules: readonly AnyRuleName[];
  readonly ruling?: RulingName;
}

const ALL_CODES = Object.keys(CODES) as Code[];
const ALL_RULINGS = Object.keys(RULINGS) as RulingName[];

export function explain(name: string | undefined, options: ExplainOptions, host: Host): number {
  const topic = name === undefined ? { codes: ALL_CODES, rules: ALL_RULES } : find(name);
  if (topic === null) {
    const guess = nearest(normal(name!), [...ALL_CODES, ...ALL_RULES, ...ALL_RULINGS]);
    const hint = guess === null ? '`openchatml explain` lists all' : `did you mean ${guess}?`;
    tell(host, `error: no code, rule or ruling is named '${escapeLine(name!)}'; ${hint}`);
    return FAILED;
  }
  const out = new Output(host.stdout);
  const colors = colorsFor(options.color, host.stdout.isTTY, host.env);
  if (options.format === 'json') out.json(JSON.stringify(recordOf(topic)));
  else if (name === undefined) out.line(listText(colors));
  else if (topic.ruling !== undefined) out.line(rulingText(topic.ruling, topic.rules, colors));
  else if (normal(name).startsWith('e-')) out.line(codeText(topic.codes[0]!, topic.rules, colors));
  else out.line(ruleText(topic.rules[0]!, colors));
  out.flush();
  return OK;
}

const normal = (name: string): string => name.trim().toLowerCase().replaceAll('_', '-');

function find(name: string): Topic | null {
  const wanted = normal(name);
  const rule = ALL_RULES.find((known) => known === wanted);
  if (rule !== undefined) {
    const { code } = ruleOf(rule);
    return { codes: code === null ? [] : [code], rules: [rule] };
  }
  const ruling = ALL_RULINGS.find((known) => known.toLowerCase() === wanted);
  if (ruling !== undefined) return { codes: [], rules: ALL_RULES.filter((known) => cites(known, ruling)), ruling };
  const code = ALL_CODES.find((known) => known.toLowerCase() === wanted);
  return code === undefined ? null : { codes: [code], rules: rulesOf(code) };
}

const cites = (rule: AnyRuleName, ruling: RulingName): boolean => ruleOf(rule).clause.split(', ').includes(ruling);

function rulesOf(code: Code | null): AnyRuleName[] {
  return ALL_RULES.filter((rule) => ruleOf(rule).code === code);
}

const exampleOf = (rule: AnyRuleName): Example => ({ ...EXAMPLES, ...AUDIT_EXAMPLES })[rule];

const severityOf = (rule: AnyRuleName): Rule['severity'] => ruleOf(rule).severity;
const DECLARED = 'error where the version is declared (by a document header or by --dialect), else warning';

/** Every code with its rules, a line each. */
function listText(colors: Colors): string {
  let text = '';
  for (const code of ALL_CODES) text += `${colors.bold(code)}  ${CODES[code]}\n${rulesText(rulesOf(code), colors)}\n`;
  text += `${colors.bold('(no code)')}\n${rulesText(rulesOf(null), colors)}\n`;
  return `${text}declared: ${DECLARED}\n`;
}

function rulesText(rules: readonly AnyRuleName[], colors: Colors): string {
  return rules.map((rule) => {
    const severity = severityOf(rule);
    return `  ${rule.padEnd(WIDTH)}  ${colorOf(severity, colors)(severity.padEnd(8))}  ${ruleOf(rule).text}\n`;
  }).join('');
}

const WIDTH = Math.max(...ALL_RULES.map((rule) => rule.length));

function colorOf(severity: Rule['severity'], { red, yellow, cyan }: Colors): (text: string) => string {
  return severity === 'info' ? cyan : severity === 'warning' ? yellow : red;
}

function codeText(code: Code, rules: readonly AnyRuleName[], colors: Colors): string {
  const head = `${colors.bold(code)} (2.2 \u00a714): ${CODES[code]}\n\n`;
  if (rules.length === 0) return `${head}${NO_RULES}\n`;
  const more = rules.some((rule) => severityOf(rule) === 'declared') ? `\ndeclared: ${DECLARED}\n` : '';
  return `${head}${rulesText(rules, colors)}${more}`;
}

function rulingText(ruling: RulingName, rules: readonly AnyRuleName[], colors: Colors): string {
  const head = `${colors.bold(ruling)}: ${RULINGS[ruling]}\n`;
  return rules.length === 0 ? head : `${head}\n${rulesText(rules, colors)}`;
}

function ruleText(rule: AnyRuleName, colors: Colors): string {
  const { code, severity, clause, text, remedy, inRecords } = ruleOf(rule);
  const example = exampleOf(rule);
  const { bold } = colors;
  const lines = [
    `${bold(rule)}: ${text}`,
    '',
    `code      ${code === null ? 'none' : `${code} (${CODES[code]})`}`,
    `severity  ${colorOf(severity, colors)(severity === 'declared' ? DECLARED : severity)}`,
    ...(example.softer === undefined ? [] : [`          ${example.softer}`]),
    `clause    ${clause}`,
    `remedy    ${remedy}`,
    ...(inRecords === undefined ? [] : [`          in chat records: ${inRecords}`]),
    '',
    bold(`not so${flagsOf(example.options)}:`),
    ...shown(example.bad),
    ...(example.also === undefined ? [] : ['', `(it breaks ${example.also.join(', ')}, too)`]),
    '',
    bold(`but so${flagsOf(example.options)}:`),
    ...shown(example.good),
  ];
  return `${lines.join('\n')}\n`;
}

/** The options of an example, as they are given to a command. */
function flagsOf(options: PlainReadOptions | undefined): string {
  const flags: string[] = [];
  if (options?.dialect !== undefined) flags.push(`--dialect ${options.dialect}`);
  if (options?.role !== undefined) flags.push(`--completion-role ${options.role}`);
  if (options?.stopStripped) flags.push('--stop-stripped');
  return flags.length > 0 ? ` (with ${flags.join(' ')})` : '';
}

/** Lines of an example. Control characters and bytes that are no text are visible. */
function shown(example: string | Uint8Array): string[] {
  const text = typeof example === 'string' ? escapeText(example) : bytesText(example);
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => `  | ${line}`);
}

function bytesText(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length;) {
    const length = characterLength(bytes, at, bytes.length);
    const part = bytes.subarray(at, at + Math.abs(length));
    if (length > 0) text += escapeText(decodeUtf8(part));
    else for (const byte of part) text += `\\x${byte.toString(16)}`;
    at += part.length;
  }
  return text;
}

/** The same as data. An example is `{text}`, or `{base64}` where its bytes are no text. */
function recordOf({ codes, rules, ruling }: Topic): object {
  return {
    schema: 'openchatml/explain/1',
    rulings: ruling === undefined ? [] : [{ ruling, says: RULINGS[ruling] }],
    codes: codes.map((code) => ({ code, clause: '2.2 \u00a714', meaning: CODES[code], rules: rulesOf(code) })),
    rules: rules.map((rule) => {
      const { code, severity, clause, text, remedy, inRecords } = ruleOf(rule);
      const { bad, good, options, also, softer } = exampleOf(rule);
      const example = { bad: exampleRecord(bad), good: exampleRecord(good), options: options ?? {}, also: also ?? [] };
      const inChat = inRecords ?? null;
      return { rule, code, severity, softer: softer ?? null, clause, text, remedy, remedy_in_records: inChat, example };
    }),
  };
}

function exampleRecord(example: string | Uint8Array): object {
  if (typeof example === 'string') return { text: example };
  return isUtf8(example) ? { text: decodeUtf8(example) } : { base64: Buffer.from(example).toString('base64') };
}
