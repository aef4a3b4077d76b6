// `render`: what an end user may see, as text or as a page; all of it, marked, in a debug view.

import { InputError } from '../../corpus/error.ts';
import { STANDARD_INPUT } from '../../corpus/input/paths.ts';
import type { RenderWork } from '../../corpus/jobs/job.ts';
import { textOfWords } from '../../corpus/jobs/words.ts';
import { escapeHtml } from '../../printable.ts';
import { htmlHead, htmlTail } from '../../formats/render/render.ts';
import { FAILED, Invocation, OK } from '../invocation.ts';
import type { CorpusOptions } from '../options.ts';
import { escapeLine } from '../print.ts';
import type { MakeSpinner } from '../progress.ts';
import { PageFolder } from './render-pages.ts';
import type { Host } from '../stream.ts';

export interface RenderCommandOptions extends CorpusOptions {
  readonly format: 'text' | 'html';
  readonly debug?: true;
  readonly transcript?: number;
  readonly harmonyPreambles?: true;
  readonly missingChannel?: true;
  readonly notes?: true;
  readonly threads?: number;
  /** A folder for pages of HTML. */
  readonly output?: string;
}

export async function render(
  paths: readonly string[],
  options: RenderCommandOptions,
  host: Host,
  makeSpinner: MakeSpinner | null,
): Promise<number> {
  const { format, transcript, debug, harmonyPreambles, missingChannel, notes } = options;
  const run = new Invocation(options, host, makeSpinner);
  const isHtml = format === 'html';
  // An input has a heading of its own where there may be several.
  const untitled = paths.length > 1 ? null : paths[0] ?? STANDARD_INPUT;
  const shown = { debug, harmonyPreambles, missingChannel, notes };
  const work: RenderWork = { format, transcript, untitled, options: shown };
  // Behind one transcript nothing is read.
  const reading = transcript === undefined ? options : { ...options, threads: 1 };
  let sink: Sink;
  try {
    sink = options.output === undefined ? streamOf(run, isHtml) : folderOf(options.output);
  } catch (error) {
    if (error instanceof InputError) run.complain(error);
    else if (!run.complainOfOutput(error)) throw error;
    return FAILED;
  }
  try {
    await renderAll(paths, reading, { run, work, untitled, sink });
    sink.end(run.failed);
  } catch (error) {
    if (!run.complainOfOutput(error)) throw error;
  } finally {
    sink.discard();
  }
  return run.failed ? FAILED : OK;
}

/** Where what is rendered goes. */
interface Sink {
  /** Of an input that has a heading. */
  begin(path: string): void;
  take(bytes: Uint8Array): void;
  /** Wherever it broke off. */
  endInput(isTitled: boolean): void;
  /** `isFailed`: some input could not be read. */
  end(isFailed: boolean): void;
  /** Nothing after `end`, unless that left it open. */
  discard(): void;
}

function streamOf({ out }: Invocation, isHtml: boolean): Sink {
  if (isHtml) out.line(htmlHead());
  return {
    begin: (path) => out.line(headingOf(path, isHtml)),
    take: (bytes) => out.bytes(bytes),
    // Whatever is open of an input that broke ends with the section: the page goes on with the next one.
    endInput: (isTitled) => {
      if (isHtml && isTitled) out.line('</section>\n');
    },
    end: () => {
      if (isHtml) out.line(htmlTail());
      out.flush();
    },
    discard: () => undefined,
  };
}

/** Throws an InputError or a FileOutputError. */
function folderOf(path: string): Sink {
  const folder = new PageFolder(path);
  const { pages } = folder;
  let isEmpty = true;
  return {
    begin: (input) => pages.take(Buffer.from(headingOf(input, true))),
    take: (bytes) => {
      isEmpty = false;
      pages.take(bytes);
    },
    endInput: () => pages.endInput(),
    // An index says that the rendering is done.
    end: (isFailed) => {
      if (!isFailed || !isEmpty) folder.commit();
    },
    discard: () => folder.discard(),
  };
}

interface Rendering {
  readonly run: Invocation;
  readonly work: RenderWork;
  readonly untitled: string | null;
  readonly sink: Sink;
}

async function renderAll(
  paths: readonly string[], options: RenderCommandOptions, { run, work, untitled, sink }: Rendering,
): Promise<void> {
  let path = '';
  const end = (): void => sink.endInput(path !== untitled);
  for await (const event of run.events(paths, options, {
    work: { kind: 'render', ...work },
    tellsAtEnd: false,
    tellsEmpty: true,
    watching: (_, { input }) => ({ source: () => run.progress.watch(input) }),
  })) {
    switch (event.kind) {
      case 'begin':
        path = event.input.path;
        if (path !== untitled) sink.begin(path);
        break;
      case 'piece':
        if (event.piece instanceof Uint8Array) sink.take(event.piece);
        else if ('words' in event.piece) run.tellAll(event.piece.words.map(textOfWords));
        break;
      case 'broken':
        end();
        break;
      case 'end':
        end();
        if (event.messages > 0 || (event.transcripts === 0 && event.records === 0)) break;
        run.tell(`${escapeLine(path)}: ${nothingIn(options)}`);
    }
  }
}

function headingOf(path: string, isHtml: boolean): string {
  const name = escapeLine(path);
  return isHtml ? `<section class="input">\n<h2><bdi>${escapeHtml(name)}</bdi></h2>\n` : `==> ${name} <==\n\n`;
}

function nothingIn({ transcript }: RenderCommandOptions): string {
  return transcript !== undefined ? `holds no message in transcript ${transcript}` : 'holds no message';
}
