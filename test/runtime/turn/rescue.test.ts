// The malformed outputs of real models, and those of fixtures/cases/rescue, through the turn loop: what the caller gets
// of each, without and with `rescue` (R-RESCUE). A row is what the run stops with, what the model thinks and what is
// shown, and what becomes of its calls; a second one is there where `rescue` makes a difference.
import { describe, expect, test } from 'vitest';
import { readFixtures } from '../../fixture.ts';
import { refuseUnhandled, routerOf, run, shown } from './script.ts';
import { rescue } from '../../../src/runtime/stream/rescue.ts';

refuseUnhandled();

const PAGES = readFixtures().filter(({ name, options }) => {
  return /^(wild|disagreements|rescue)\//.test(name) && (options.dialect === 'harmony' || name.startsWith('wild/'));
});

const TABLE = `
disagreements/call-of-2-2
  rounds, calls functions.get_current_weather({"location":"Tokyo","format":"celsius"})
disagreements/call-token-in-json
  rounds, refused: invalid-json
disagreements/channel-leading-space
  final, shows "Hello"
disagreements/commentary-filler
  rounds, thinks "Need to get weather", calls functions.get_weather({"city":"Boston"})
disagreements/constrain-only
  final, shows "{\\"result\\":true}"
disagreements/double-stop
  final, shows "Answer"
disagreements/garbage-channel
  rounds, thinks "We must comply with the gating rules."
disagreements/later-message-without-token
  final, thinks "thinking", shows "I cannot do that."
disagreements/leaked-channel-in-recipient
  rounds, calls functions.bash({"cmd":"ls"})
disagreements/missing-start
  final, thinks "think", shows "x"
disagreements/newline-between
  final, thinks "User asks: \\"What is 2 + 2?\\" Simple arithmetic. Provide answer.", shows "2 + 2 = 4."
disagreements/no-end-before-start
  final, thinks "I'm thinking", shows "Answer"
disagreements/quoted-tokens
  final, shows "See \`"
disagreements/recipient-as-role
  rounds, calls functions.get_weather({})
disagreements/role-and-start
  final, shows "x"
disagreements/stray-commentary-before-analysis
  final, shows "Hello, world!\\nWhat's up?"
  final, thinks "I'm\\nthinking", shows "Hello, world!\\nWhat's up?"
disagreements/three-header-words
  rounds, calls functions.bash({})
disagreements/tool-role-no-recipient
  unanswered
disagreements/truncated-in-header
  rounds, thinks "The user asks."
disagreements/two-channels-recipient
  rounds, refused: duplicate-attribute
rescue/analysis-in-final
  final, shows "4"
  final, thinks "Did I add?", shows "4It is 4."
rescue/answer-ends-in-call
  rounds, shows "4", refused: call-without-recipient
  final, shows "4"
rescue/call-in-analysis
  rounds, thinks "Hm.<|channel|>commentary to=python <|constrain|>json<|message|>{}", refused: call-without-recipient
  rounds, thinks "Hm.", calls python({})
rescue/filler-before-call
  rounds, refused: duplicate-attribute
  rounds, calls functions.f({})
rescue/filler-channel
  unanswered
  final, shows "Hello."
rescue/filler-with-tool
  rounds, refused: duplicate-attribute
rescue/final-in-analysis
  unanswered, thinks "Add them.<|channel|>final<|message|>4"
  final, thinks "Add them.", shows "4"
rescue/header-in-user
  unanswered
rescue/header-of-completion
  rounds, calls functions.f({})
rescue/said-before-channel
  final, shows "4"
rescue/said-before-message
  unanswered
rescue/stripped-answer
  unanswered
  final, thinks "The user asks 2+2.", shows "4"
rescue/stripped-call
  unanswered
  rounds, thinks "I must look.", calls functions.weather({"city":"Oslo"})
rescue/stripped-with-token
  unanswered
rescue/words-behind-channel
  rounds, thinks "a<|channel|>final answer<|message|>b<|channel|>other<|message|>c"
wild/analysis-call-code
  rounds, calls functions.ffgrep({"pattern":"x"})
wild/arguments-cut
  rounds, refused: invalid-json
wild/arguments-no-json
  rounds, refused: invalid-json
wild/auto-garbage-channel
  rounds, thinks "x"
wild/auto-leaked-thought
  final, shows "Hello."
wild/auto-repeated-tokens
  length, thinks "!!!!<|channel|><|channel|>"
wild/auto-two-channels
  rounds
wild/call-without-recipient
  rounds, shows "{\\"name\\":\\"f\\",\\"arguments\\":{}}", refused: call-without-recipient
  rounds, shows "{\\"name\\":\\"f\\",\\"arguments\\":{}}"
wild/channel-comment
  rounds
wild/channel-finalx
  unanswered
wild/channel-word-in-arguments
  rounds, refused: invalid-json
wild/constrain-answer
  final, shows "42"
wild/constrain-commentary
  rounds, thinks "x"
wild/constrain-control-end
  rounds, calls functions.bash({})
wild/constrain-for-start
  final, thinks "x", shows "Hello."
wild/constrain-response
  final, shows "Hello."
wild/empty-channel
  rounds
wild/en-dashes-commentary
  rounds, thinks "x"
wild/filler-and-implied-start
  rounds, calls functions.x({}), calls functions.x({})
wild/full-stop-for-start
  final, thinks "x", shows "Hello."
wild/garbage-channel-and-text
  rounds
wild/garbage-content-type
  rounds, shows "x"
wild/garbage-second-channel
  rounds
wild/json-without-message
  final, shows "{\\"answer\\": 42}"
wild/leaked-channel-name-with-underscore
  rounds, calls functions.manage_cart({})
wild/leaked-channel-short-recipient
  rounds, calls functions.read({})
wild/markers-stripped-call
  unanswered
wild/markers-stripped
  unanswered
  final, thinks "The user asks 2+2.", shows "4"
wild/no-markers-no-role
  length
wild/no-markers
  unanswered
wild/number-between
  final, thinks "x", shows "Hello."
wild/prompt-as-completion
  unanswered
wild/reasoning-after-constrain
  rounds, calls functions.write({})
wild/recipient-twice-in-channel
  rounds, calls functions.bash({})
wild/recipient-with-dash
  rounds, calls functions.web-browsing({})
wild/recipient-without-prefix
  rounds, calls functions.exec({"cmd":"ls"})
wild/refusal-detected
  final, shows "Hello."
wild/refusal
  final, shows "Hello."
wild/repeated-tokens
  length, thinks "!!!!<|channel|><|channel|><|channel|>"
wild/role-final
  unanswered
wild/role-glued
  unanswered
wild/start-missing-between-channels
  rounds, thinks "think", calls functions.f({})
wild/start-twice
  final, shows "Hello."
wild/three-channels-analysis
  rounds
wild/three-channels
  rounds
wild/two-channels
  rounds
wild/two-constrain-fields
  rounds, calls functions.done({})
wild/word-for-start
  final, thinks "x", shows "Hello."
`;

/** Rows of a page by its name. */
const rows = new Map<string, string[]>();
for (const line of TABLE.trim().split('\n')) {
  if (!line.startsWith(' ')) rows.set(line, []);
  else [...rows.values()].at(-1)!.push(line.trim());
}

/** What a caller gets of one output. */
async function told(output: string, isRescued: boolean, stopStripped: boolean): Promise<string> {
  const calls: string[] = [];
  const note = (value: unknown, { recipient }: { readonly recipient: string }): null => {
    calls.push(`calls ${recipient}(${JSON.stringify(value)})`);
    return null;
  };
  const router = routerOf({ tools: [], handlers: { 'functions.*': note, python: note } });
  const shows = { reasoning: true, harmonyPreambles: true };
  const how = { rescue: isRescued ? rescue : undefined, stopStripped };
  const options = { router, neutralise: true, maxRounds: 1, ...how, ...shows };
  const { stop, outcomes, events } = await run([output], { dialect: 'harmony', ...options }, 3);
  const refused = outcomes.flatMap(({ status, rule }) => (status === 'refused' ? [`refused: ${rule}`] : []));
  const thought = events.map((event) => (event.type === 'response.reasoning_text.delta' ? event.delta : '')).join('');
  const text = (word: string, said: string): string[] => (said === '' ? [] : [`${word} ${JSON.stringify(said)}`]);
  return [stop, ...text('thinks', thought), ...text('shows', shown(events)), ...calls, ...refused].join(', ');
}

describe('what the caller gets', () => {
  test.each(PAGES.map((page) => [page.name, page] as const))('%s', async (name, { input, options }) => {
    const output = new TextDecoder().decode(input);
    const isStripped = options.stopStripped === true;
    const [without, rescued] = [await told(output, false, isStripped), await told(output, true, isStripped)];
    expect(without === rescued ? [without] : [without, rescued]).toEqual(rows.get(name));
  });

  test('no row too many', () => {
    expect([...rows.keys()].sort()).toEqual(PAGES.map(({ name }) => name).sort());
  });
});
