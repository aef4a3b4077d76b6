// The reference parser: a slow, eager reading of the rulings, written apart from the library, for differential tests.
//
// referenceParse(bytes, options) gives the transcripts, the messages (the columns of `messages --format ndjson`) and
// the diagnostics of rulings sections 3 to 6. Nothing here may be imported from src/ or assembly/.
//
//   tokens.ts    dialects and tokens as data        frames.ts   header fields and bodies of 2.x and Harmony
//   text.ts      UTF-8 and escapes                  legacy.ts   header lines and bodies of 0.1
//   header.ts    document headers                   words.ts    what a message header says
//   gap.ts       text between messages              message.ts  one message, its findings, its visibility
//   findings.ts  rules, codes, severities           walk.ts     dialects, transcripts, gaps
//   calls.ts     calls and replies                  content.ts  unescaped bodies, thoughts, JSON
//   think.ts     reasoning that is written as text  likeness.ts text that looks like Harmony
//   conform.ts   what documents ask of who writes  rescue.ts  likely messages rather than exact ones
//   meaning.ts   what is found about one transcript after another
import { byPosition } from './findings.ts';
import type { Finding } from './findings.ts';
import { leakIn, writtenThoughtOf } from './content.ts';
import { withLikeness } from './likeness.ts';
import { readMeaning } from './meaning.ts';
import type { End } from './message.ts';
import { DIALECTS, makeSource } from './tokens.ts';
import type { DialectId } from './tokens.ts';
import { Walk } from './walk.ts';
import type { PlacedMessage } from './walk.ts';

export interface ReferenceOptions {
  dialect?: 'auto' | DialectId | undefined;
  /** The text is a completion of this role. */
  role?: string | undefined;
  /** The final stop token was taken off, so that the end of the input in a body is no finding. */
  stopStripped?: boolean | undefined;
  /** A likely message rather than an exact one. */
  rescue?: object | boolean | undefined;
}

export interface ReferenceTranscript {
  dialect: DialectId;
  declared: boolean;
  from: number;
}

export interface ReferenceMessage {
  transcript: number;
  index: number;
  role: string | null;
  name: string | null;
  recipient: string | null;
  channel: string | null;
  explicit_channel: string | null;
  content_type: string | null;
  intent: string | null;
  call_id: string | null;
  end: End;
  visible: boolean;
  from: number;
  to: number;
  body_from: number;
  body_to: number;
  content: string | null;
}

export interface ReferenceResult {
  transcripts: ReferenceTranscript[];
  messages: ReferenceMessage[];
  diagnostics: Finding[];
  /** What the rules of section 6 find: calls, content types, thoughts in shown text. */
  meaning: Finding[];
  /** What is hidden in what is shown: reasoning that is written as text (R-THINK), and what leaks (R-LEAK). */
  thoughts: { from: number; to: number }[];
}

export function referenceParse(bytes: Uint8Array, options: ReferenceOptions = {}): ReferenceResult {
  const { dialect = 'auto', role = null, stopStripped = false, rescue = false } = options;
  const given = dialect === 'auto' ? null : DIALECTS[dialect];
  const source = makeSource(bytes);
  const walk = new Walk(source, given, role, stopStripped, Boolean(rescue));
  walk.run();
  const { transcripts, messages } = walk;
  const meaning = readMeaning(source, transcripts, messages);
  // Of a text that begins with a start token after all nothing is left of the role.
  const isDetected = given === null && walk.role === null;
  const told = (findings: readonly Finding[]): Finding[] =>
    (isDetected ? withLikeness(findings, source, transcripts, messages) : [...findings]);
  return {
    transcripts: transcripts.map(({ dialect: { id }, declared, from }) => ({ dialect: id, declared, from })),
    messages: messages.map(messageRow),
    diagnostics: told(walk.findings).sort(byPosition),
    meaning: told(meaning).filter(({ rule }) => rule !== 'looks-like-harmony').sort(byPosition),
    thoughts: messages.flatMap(({ message, transcript }) => {
      if (!message.visible || message.reading.role !== 'assistant') return [];
      const { dialect } = transcripts[transcript];
      const leak = leakIn(source, dialect, message);
      const rest = leak === null ? [] : [{ from: leak.from, to: message.bodyTo }];
      return [...rest, writtenThoughtOf(source, dialect, message) ?? []].flat();
    }),
  };
}

function messageRow({ transcript, index, message, to }: PlacedMessage): ReferenceMessage {
  const { reading, end, visible, from, bodyFrom, bodyTo, content } = message;
  return {
    transcript,
    index,
    role: reading.role,
    name: reading.name,
    recipient: reading.recipient,
    channel: reading.explicitChannel ?? 'final',
    explicit_channel: reading.explicitChannel,
    content_type: reading.contentType,
    intent: reading.intent,
    call_id: reading.callId,
    end,
    visible,
    from,
    to,
    body_from: bodyFrom,
    body_to: bodyTo,
    content,
  };
}
