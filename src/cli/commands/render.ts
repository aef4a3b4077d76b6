// `render`: what an end user may see, as text or as a page; all of it, marked, in a debug view.

import { Kit } from '../../corpus/jobs/open.ts';
import { messagesOf, type PlacedMessage } from '../../corpus/messages.ts';
import { ENDINGS } from '../../corpus/input/paths.ts';
import { isBad, isContainer } from '../../corpus/records/unit.ts';
import { ALL, Units } from '../../corpus/records/units.ts';
import { RULES } from '../../errors.ts';
import { escapeHtml } from '../../formats/printable.ts';
import { type HtmlOptions, htmlHead, htmlTail, renderHtml, renderText } from '../../formats/render/render.ts';
import type { TranscriptInfo } from '../../model/transcript.ts';
import type { ReadOptions } from '../../model/walk.ts';
import type { Source } from '../../scan/source.ts';
import type { SharedOptions } from '../options.ts';
import { escapeLine } from '../print.ts';
import type { MakeSpinner } from '../progress.ts';
import { FAILED, Invocation, OK } from '../invocation.ts';
import type { Host } from '../stream.ts';

export interface RenderCommandOptions extends SharedOptions {
  readonly format: 'text' | 'html';
  readonly debug?: true;
  readonly transcript?: number;
  readonly harmonyPreambles?: true;
  readonly missingChannel?: true;
  readonly notes?: true;
}

export function render(
  paths: readonly string[],
  options: RenderCommandOptions,
  host: Host,
  makeSpinner: MakeSpinner | null,
): number {
  const run = new Invocation(options, host, makeSpinner);
  const isHtml = options.format === 'html';
  const kit = new Kit();
  if (isHtml) run.out.line(htmlHead());
  run.each(paths, ({ path, source, options: readOptions }) => {
    const placed = wanted(messagesIn(run, kit, path, source, readOptions), options.transcript);
    // An input has a heading of its own where there may be several.
    const named = paths.length > 1 || (paths.length === 1 && paths[0] !== path);
    const write = isHtml ? writeHtml : writeText;
    let isEmpty = true;
    const counted = function* (): Generator<PlacedMessage, void, void> {
      for (const message of placed) {
        isEmpty = false;
        yield message;
      }
    };
    for (const piece of write(counted(), named ? path : null, options)) run.out.line(piece);
    if (isEmpty) run.tell(`${escapeLine(path)}: ${nothingIn(options)}`);
  }, ENDINGS);
  if (isHtml) run.out.line(htmlTail());
  run.out.flush();
  return run.failed ? FAILED : OK;
}

/** The messages of an input, raw or in records. A record that holds none is told. */
function* messagesIn(run: Invocation, kit: Kit, path: string, source: Source, options: ReadOptions): Generator<PlacedMessage, void, void> {
  if (!isContainer(path, source, options)) {
    yield* messagesOf(kit.machine, source, options);
    return;
  }
  let before = 0;
  for (const unit of new Units(kit, path, source, options, ALL)) {
    if (isBad(unit)) {
      run.tell(escapeLine(`${path}:${unit.line}: ${RULES[unit.rule].text}: ${unit.detail}`));
      continue;
    }
    const reading = messagesOf(kit.machine, unit.source, unit.options);
    let own: TranscriptInfo | undefined;
    let transcript: TranscriptInfo | undefined;
    for (let next = reading.next(); ; next = reading.next()) {
      if (next.done) {
        before += next.value.transcripts;
        break;
      }
      if (next.value.transcript !== own) {
        own = next.value.transcript;
        transcript = { ...own, number: before + own.number };
      }
      yield { ...next.value, transcript: transcript! };
    }
  }
}

/** The messages of one transcript, or all. */
function* wanted(
  messages: Iterable<PlacedMessage>,
  transcript: number | undefined,
): Generator<PlacedMessage, void, void> {
  for (const placed of messages) {
    const { number } = placed.transcript;
    if (transcript !== undefined && number > transcript) return;
    if (transcript === undefined || number === transcript) yield placed;
  }
}

function nothingIn({ transcript }: RenderCommandOptions): string {
  return transcript !== undefined ? `holds no message in transcript ${transcript}` : 'holds no message';
}

function* writeText(
  messages: Iterable<PlacedMessage>,
  path: string | null,
  options: RenderCommandOptions,
): Generator<string, void, void> {
  if (path !== null) yield `==> ${escapeLine(path)} <==\n\n`;
  yield* renderText(messages, options);
}

function* writeHtml(
  messages: Iterable<PlacedMessage>,
  path: string | null,
  options: RenderCommandOptions,
): Generator<string, void, void> {
  const settings: HtmlOptions = { ...options, fragment: true, level: path === null ? 2 : 3 };
  if (path !== null) yield `<section class="input">\n<h2><bdi>${escapeHtml(escapeLine(path))}</bdi></h2>\n`;
  try {
    yield* renderHtml(messages, settings);
  } catch (error) {
    // Whatever was open in it ends with the section: the page goes on with the next input.
    if (path !== null) yield '</section>\n';
    throw error;
  }
  if (path !== null) yield '</section>\n';
}
