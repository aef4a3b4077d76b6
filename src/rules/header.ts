// What is wrong with the header of one message (rulings §4): its words, its start, its end, its length, its channel.

import { HAS_LINE } from '../abi.ts';
import type { Tell } from '../errors.ts';
import { HEADER_BYTES } from '../model/header/document.ts';
import type { HeaderView, Span } from '../model/header-view.ts';
import type { TranscriptInfo } from '../model/transcript.ts';
import { conformOfHeader } from './conform.ts';
import { lacksChannel } from '../model/visibility.ts';
import { openerTo } from '../model/message-rows.ts';

/** The header [from, to) may be too long. */
export function limitFindings({ from, to }: Span, tell: Tell): void {
  if (to - from > HEADER_BYTES) tell({ rule: 'header-limit', from, to });
}

/** `isCut`: the header is not ended by its message token or newline. */
export function headerFindings(message: HeaderView, transcript: TranscriptInfo, isCut: boolean, tell: Tell): void {
  const { from } = message;
  const to = message.header.to;
  if (!message.isPlain) {
    for (const finding of message.reading.meaning.findings) tell(finding);
    const start = message.missingStart;
    const hasGivenRole = message.completesRole && (message.dialect.flags & HAS_LINE) !== 0;
    if (start === 'missing') tell({ rule: 'missing-start', from, to: openerTo(message) });
    else if (start === 'completion' && !hasGivenRole) tell({ rule: 'completion', from, to: openerTo(message) });
    if (isCut) tell({ rule: 'missing-message', from, to });
  }
  limitFindings({ from, to }, tell);
  if (lacksChannel(message)) {
    tell({ rule: 'missing-channel', from, to, ...(transcript.asksForChannels && { severity: 'error' }) });
  }
  if (!message.isReadInPart) conformOfHeader(message, transcript, tell);
}
