// The conversation: its messages in order, role and channel by colour and by shape, calls joined to their replies,
// hidden messages folded with their reason until they are asked for.

import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { HiddenReason } from '../index.ts';
import type { FindingView, ShownMessage, TranscriptView } from './analysis.ts';
import { showFinding } from './findings.tsx';
import { analysis, asUser, current, reveal, revealed, selection, selectMessage } from './store.ts';

const SHAPES: Readonly<Record<string, string>> = {
  system: '■', developer: '◆', user: '●', assistant: '▲', tool: '⬢',
};

const REASONS: Readonly<Record<HiddenReason, string>> = {
  role: 'this role is never shown',
  'header-limit': 'its header is too long to be read',
  ambiguous: 'its header contradicts itself',
  recipient: 'it is addressed to a tool',
  channel: 'its channel is private',
  intent: 'its intent is not for users',
  'open-turn': 'it waits for its completion',
  'missing-channel': 'it lacks the channel that is required',
  'missing-start': 'its start token is missing',
  call: 'it is a call',
};

/** Messages that are drawn at once, and characters of a body. */
const PAGE = 200;
const LONGEST = 4000;

export function Timeline() {
  const [most, setMost] = useState(PAGE);
  const { messages, transcripts, findings } = analysis.value;
  const isUser = asUser.value;
  const seen = isUser ? messages.filter(({ hidden }) => hidden === null) : messages;
  return (
    <section class="pane timeline-pane" aria-label="Conversation">
      <div class="bar">
        <h2>Conversation</h2>
        <span class="note">{countText(messages)}</span>
        <label class="switch">
          <input type="checkbox" role="switch" checked={isUser} onChange={(event) => {
            asUser.value = event.currentTarget.checked;
          }} /> as the user sees it
        </label>
      </div>
      {messages.length === 0 && <p class="empty">No message yet: paste a transcript, drop a file, or take a sample.</p>}
      <ol class="timeline">
        {seen.slice(0, most).map((message, i) => (
          <li key={message.number}>
            {!isUser && seen[i - 1]?.transcript !== message.transcript
              && <Divider transcript={transcripts[message.transcript]!} />}
            {isUser ? <UserMessage message={message} />
              : <Card message={message} findings={within(findings, message)} />}
          </li>
        ))}
      </ol>
      {seen.length > most && <button type="button" class="more" onClick={() => setMost(most + PAGE)}>
        {seen.length - most} more messages
      </button>}
    </section>
  );
}

function countText(messages: readonly ShownMessage[]): string {
  const hidden = messages.filter((message) => message.hidden !== null).length;
  const words = `${messages.length} message${messages.length === 1 ? '' : 's'}`;
  return messages.length === 0 ? '' : `${words}, ${hidden} hidden from users`;
}

const within = (findings: readonly FindingView[], { from, to }: ShownMessage): FindingView[] =>
  findings.filter((finding) => finding.from >= from && finding.from < to);

const Divider = ({ transcript: { number, dialect, version } }: { transcript: TranscriptView }) =>
  <p class="divider">Transcript {number + 1}, {dialect}{version !== null && ` (version ${version})`}</p>;

function UserMessage({ message }: { message: ShownMessage }) {
  const role = message.role ?? 'unknown';
  return (
    <div class={`bubble ${role === 'user' ? 'user' : 'assistant'}`}>
      <span class="who">{role}</span>
      <Text text={message.shown ?? ''} />
    </div>
  );
}

function Card({ message, findings }: { message: ShownMessage; findings: readonly FindingView[] }) {
  const { number, role, channel, hidden, content } = message;
  const card = useRef<HTMLElement>(null);
  const isCurrent = current.value === number;
  const isOpen = hidden === null || revealed.value.has(number);
  useEffect(() => {
    // Who selects here already sees it.
    if (isCurrent && !card.current!.contains(document.activeElement)) goTo(card.current!);
  }, [isCurrent, selection.value]);
  const known = role !== null && Object.hasOwn(SHAPES, role) ? role : 'unknown';
  return (
    <article ref={card} id={`message-${number}`} aria-current={isCurrent}
      class={`card role-${known} channel-${channelClass(channel)}${hidden === null ? '' : ' hidden'}`}>
      <header>
        <button type="button" class="who" onClick={() => selectMessage(number)}>
          <span class="shape" aria-hidden="true">{SHAPES[known] ?? '?'}</span> {role ?? 'no role'}
          {message.name !== null && <span class="name"> {message.name}</span>}
        </button>
        <span class={`chip channel-${channelClass(channel)}`}>{channel}</span>
        {message.intent !== null && <span class="chip">{message.intent}</span>}
        {message.recipient !== null && <span class="chip to">to {message.recipient}</span>}
        {message.contentType !== null && <span class="chip">{message.contentType}</span>}
        <Partner message={message} />
      </header>
      {hidden !== null && <p class="reason">
        Hidden: {REASONS[hidden]}.{' '}
        <button type="button" class="link" aria-expanded={isOpen} onClick={() => reveal(number, !isOpen)}>
          {isOpen ? 'fold' : 'show it'}
        </button>
      </p>}
      {isOpen && <Body message={message} text={hidden === null ? content : content} />}
      {findings.length > 0 && <ul class="found">
        {findings.map((finding, i) => (
          <li key={i}><button type="button" class={`link ${finding.severity}`} onClick={() => showFinding(finding)}>
            {finding.rule}</button> {finding.message}</li>
        ))}
      </ul>}
    </article>
  );
}

/** What of the content a user does not see is told, too. */
function Body({ message, text }: { message: ShownMessage; text: string }) {
  const isPart = message.hidden === null && message.shown !== null && message.shown !== text;
  return (
    <>
      {isJson(message) ? <pre class="json" tabIndex={0} role="region" aria-label="JSON">{pretty(text)}</pre>
        : <Text text={text} />}
      {isPart && <p class="reason">A user sees only {message.shown!.trim() === ''
        ? 'white space' : `${message.shown!.length} of ${text.length} characters`} of it.</p>}
    </>
  );
}

const isJson = ({ contentType, isCall }: ShownMessage): boolean => isCall || contentType === 'json';

function pretty(text: string): string {
  try {
    return cut(JSON.stringify(JSON.parse(text), null, 2));
  } catch {
    return cut(text);
  }
}

const cut = (text: string): string =>
  (text.length > LONGEST ? `${text.slice(0, LONGEST)}… ${text.length - LONGEST} more characters` : text);

function Text({ text }: { text: string }): ComponentChildren {
  // The direction of a body's writing ends with it.
  return <bdi class="text">{text === '' ? <em>(empty)</em> : cut(text)}</bdi>;
}

function Partner({ message: { number, isCall, isReply, partner, callId } }: { message: ShownMessage }) {
  if (!isCall && !isReply) return null;
  const words = isCall ? 'reply' : 'call';
  const id = callId === null ? '' : ` ${callId}`;
  if (partner === null) {
    return <span class="chip unresolved"><span aria-hidden="true">✂</span> no {words}{id}</span>;
  }
  return (
    <button type="button" class="chip joined" onClick={() => {
      selectMessage(partner);
      goTo(document.getElementById(`message-${partner}`));
    }}>
      <span aria-hidden="true">{partner > number ? '⤵' : '⤴'}</span> {words}{id}
    </button>
  );
}

const channelClass = (channel: string): string =>
  (['final', 'analysis', 'commentary'].includes(channel) ? channel : 'unknown');

/** Scrolls the conversation to a message; the page stays where it is, unless the conversation is all of it. */
function goTo(card: HTMLElement | null): void {
  const pane = card?.closest('.timeline-pane');
  if (!card || !pane) return;
  const behavior = matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth';
  const [inner, outer] = [card.getBoundingClientRect(), pane.getBoundingClientRect()];
  if (getComputedStyle(pane).overflowY === 'visible') card.scrollIntoView({ block: 'nearest', behavior });
  else if (inner.top < outer.top + 40 || inner.bottom > outer.bottom) {
    pane.scrollBy({ top: inner.top - outer.top - 60, behavior });
  }
}
