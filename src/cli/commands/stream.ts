// `stream`: what a model says, as it comes, to events. What it says is never a reason to fail: the exit code tells of
// the pipes alone.

import { InputError } from '../../corpus/error.ts';
import { openInput, optionsFor, STANDARD_INPUT } from '../../corpus/input/paths.ts';
import { type InputSource, PipeSource } from '../../corpus/input/source.ts';
import { readYaml } from '../../model/header/yaml.ts';
import { rescue } from '../../runtime/stream/rescue.ts';
import { adapterFor, streamOptionsFor } from '../../runtime/events/forms.ts';
import { CHAT_DONE, serverSentEvent } from '../../runtime/events/sse-write.ts';
import { MessageStream } from '../../runtime/stream/stream.ts';
import { FAILED, Invocation, OK, tell } from '../invocation.ts';
import { readOptionsOf, type SharedOptions } from '../options.ts';
import type { Output } from '../output.ts';
import { escapeText } from '../print.ts';
import type { MakeSpinner } from '../progress.ts';
import type { Host } from '../stream.ts';

export interface StreamCommandOptions extends SharedOptions {
  readonly events: 'ocm' | '2.0' | 'responses' | 'chat';
  readonly format: 'ndjson' | 'sse';
  readonly reasoning?: true;
  readonly harmonyPreambles?: true;
  readonly missingChannel?: true;
  readonly thinkOpen?: true;
  readonly finishReason?: string;
  readonly model?: string;
}

const PIECE = 64 * 1024;

export function stream(
  paths: readonly string[], options: StreamCommandOptions, host: Host, _makeSpinner: MakeSpinner | null = null,
): number {
  const [path = STANDARD_INPUT, ...others] = paths;
  if (others.length > 0) {
    tell(host, `error: stream reads one input, not ${paths.length}; call it once for each`);
    return FAILED;
  }
  const run = new Invocation(options, host, null);
  run.attempt(() => {
    const input = path === STANDARD_INPUT ? new PipeSource(host.stdin.fd, path, false) : openInput(path);
    try {
      writeEvents(input, path, options, run.out, host.stdout.isTTY);
    } finally {
      input.close();
    }
  });
  run.out.flush();
  return run.failed ? FAILED : OK;
}

function writeEvents(
  input: InputSource, path: string, options: StreamCommandOptions, out: Output, isTTY: boolean,
): void {
  const { events: form, format, reasoning, harmonyPreambles, missingChannel, thinkOpen, finishReason, model } = options;
  const { edges: _, rescue: isRescued, ...plain } = optionsFor(path, readOptionsOf(options));
  const read = { ...plain, rescue: isRescued ? rescue : undefined };
  const messages = new MessageStream(
    streamOptionsFor({
      ...read, reasoning, harmonyPreambles, missingChannel, thinkOpen, as: form, yaml: (text: string) => readYaml(text),
    }),
  );
  const adapter = adapterFor(form, { role: read.role, rescue: read.rescue, response: { model } });
  adapter.finishReason = finishReason ?? null;
  const writeText = (text: string): void => out.piece(isTTY ? escapeText(text) : text);
  const write = (events: readonly object[]): void => {
    for (const event of events) {
      if (format === 'ndjson') out.jsonPiece(`${JSON.stringify(event)}\n`);
      else writeText(serverSentEvent(event));
    }
  };
  try {
    write(adapter.begin());
    for (const piece of piecesOf(input, out)) write(messages.feed(piece).flatMap((event) => adapter.take(event)));
    write(messages.end({ finishReason }).flatMap((event) => adapter.take(event)));
  } catch (error) {
    if (error instanceof InputError) write(adapter.fail());
    throw error;
  } finally {
    if (form === 'chat' && format === 'sse') writeText(CHAT_DONE);
  }
}

/** What has come so far is answered before more is waited for. */
function* piecesOf(input: InputSource, out: Output): Generator<Uint8Array, void, void> {
  const buffer = new Uint8Array(PIECE);
  let position = 0;
  while (true) {
    out.flush();
    const read = input.read(position, buffer);
    if (read === 0) return;
    position += read;
    input.release(position);
    yield buffer.subarray(0, read);
  }
}
