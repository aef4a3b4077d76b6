// `render`: what an end user may see, as text or as a page; all of it, marked, in a debug view.

import { STANDARD_INPUT } from '../../corpus/input/paths.ts';
import type { RenderWork } from '../../corpus/jobs/job.ts';
import { escapeHtml } from '../../printable.ts';
import { htmlHead, htmlTail } from '../../formats/render/render.ts';
import { FAILED, Invocation, OK } from '../invocation.ts';
import type { SharedOptions } from '../options.ts';
import { escapeLine } from '../print.ts';
import type { MakeSpinner } from '../progress.ts';
import type { Host } from '../stream.ts';

export interface RenderCommandOptions extends SharedOptions {
  readonly format: 'text' | 'html';
  readonly debug?: true;
  readonly transcript?: number;
  readonly harmonyPreambles?: true;
  readonly missingChannel?: true;
  readonly notes?: true;
  readonly threads?: number;
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
  const threads = transcript === undefined ? options.threads : 1;
  if (isHtml) run.out.line(htmlHead());
  let path = '';
  const end = (): void => {
    // Whatever was open in an input that broke ends with the section: the page goes on with the next one.
    if (isHtml && path !== untitled) run.out.line('</section>\n');
  };
  for await (const event of run.events(paths, { ...options, threads }, {
    work: { kind: 'render', ...work },
    tellsAtEnd: false,
    watching: (_, { input }) => ({ source: () => run.progress.watch(input) }),
  })) {
    switch (event.kind) {
      case 'begin':
        path = event.input.path;
        if (path !== untitled) run.out.line(headingOf(path, isHtml));
        break;
      case 'piece':
        if (event.piece instanceof Uint8Array) run.out.bytes(event.piece);
        else if ('words' in event.piece) run.tellAll(event.piece.words);
        break;
      case 'broken':
        end();
        break;
      case 'end':
        end();
        if (event.messages === 0) run.tell(`${escapeLine(path)}: ${nothingIn(options)}`);
    }
  }
  if (isHtml) run.out.line(htmlTail());
  run.out.flush();
  return run.failed ? FAILED : OK;
}

function headingOf(path: string, isHtml: boolean): string {
  const name = escapeLine(path);
  return isHtml ? `<section class="input">\n<h2><bdi>${escapeHtml(name)}</bdi></h2>\n` : `==> ${name} <==\n\n`;
}

function nothingIn({ transcript }: RenderCommandOptions): string {
  return transcript !== undefined ? `holds no message in transcript ${transcript}` : 'holds no message';
}
