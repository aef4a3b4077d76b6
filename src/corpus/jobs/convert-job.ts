// Converting a part of an input: transcripts from any form to any other, as text or as lines of JSON.

import { JSON_DEEPEST } from '../../abi.ts';
import { isDialect } from '../../formats/convert.ts';
import type { Checkpoint } from '../../model/part-walk.ts';
import { WatchedSource } from '../../scan/source.ts';
import { canBeTurns } from '../records/form.ts';
import { transcriptsOrRows } from '../records/raw.ts';
import { readRecords } from '../records/record.ts';
import { layoutOf } from '../records/layout.ts';
import { ChatLines } from '../records/chat-lines.ts';
import { isRows } from '../records/rows.ts';
import { lineCount } from '../records/count-lines.ts';
import { beginsWithTurn } from '../records/turns.ts';
import { Conversion, type ConvertJob } from './conversion.ts';
import { canWriteRows, formOfRows } from './convert-quick.ts';
import { NO_RESULT, type Piece } from './job.ts';
import type { Kind } from './kind.ts';
import { canBeMoved } from './parts.ts';

export const CONVERT: Kind<ConvertJob> = {
  *raw(context, job, opened, range) {
    const { input, options } = opened;
    let from = range.start?.position ?? 0;
    const conversion = new Conversion(context, job, opened);
    let unsaid: Piece | null = null;
    const begun = (at: Checkpoint): void => {
      from = at.position;
      unsaid = { begins: at };
    };
    const all = transcriptsOrRows(context.machine, context.watched(input), options, {
      range, known: context.headers, begun,
    });
    const pieces = conversion.take(all, (one) => conversion.transcript(one));
    for (let next = pieces.next(); ; next = pieces.next()) {
      if (next.done) {
        const { transcripts, position, end } = next.value;
        const bytes = (end?.position ?? position) - from;
        const { likeHarmony } = conversion;
        return { ...NO_RESULT, end, transcripts, messages: conversion.transcripts, likeHarmony, bytes };
      }
      if (unsaid !== null) yield unsaid;
      unsaid = null;
      yield conversion.numbered(next.value);
    }
  },

  *records(context, job, opened, part) {
    const { input, options } = opened;
    let [records, furthest] = [part.record, part.from];
    const source = new WatchedSource(context.watched(input), {
      hasRead: (to) => void (furthest = Math.max(furthest, to)),
    });
    const conversion = new Conversion(context, job, opened);
    const locate = (bytes: Uint8Array): number => context.machine.checkJson(bytes, JSON_DEEPEST);
    const layout = part.from > 0 ? 'lines' : layoutOf(source);
    const isAny = job.from === 'auto' || isDialect(job.from);
    const isTurns = part.from === 0 && beginsWithTurn(source);
    const joinsTurns = isTurns && options.field === undefined && (isAny || canBeTurns(job.from));
    const hasRows = canWriteRows(job, options) && isTurns === joinsTurns;
    const form = { form: formOfRows(job.from) ?? 'auto' };
    const wanted = { takesTurns: isAny, joinsTurns, writesTools: true, countsLost: true };
    const lines = hasRows ? new ChatLines(context, source, form, part, layout, wanted) : null;
    const all = lines === null ? readRecords(source, { locate, joinsTurns }, part)
      : lines.rowsAndRecords();
    yield* conversion.take(all, (item) => {
      records += isRows(item) ? item.records : 1;
      return isRows(item) ? conversion.rows(item, lines!) : conversion.record(item);
    });
    const bytes = Math.min(part.to, furthest) - part.from;
    const transcripts = records + part.surplus;
    const { likeHarmony, transcripts: messages } = conversion;
    const counted = canBeMoved(job, 'lines') ? lineCount(context, input, part, lines) : 0;
    return { ...NO_RESULT, records, lines: counted, transcripts, messages, likeHarmony, bytes };
  },
};
