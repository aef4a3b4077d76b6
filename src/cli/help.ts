// What the command line says about itself: examples of each command, and what holds for all of them.

import { ENDINGS_TEXT } from '../corpus/input/paths.ts';

/** What the arguments of most commands are. */
export const PATHS = `files, folders (their ${ENDINGS_TEXT}), or - for standard input`;

export const AFTER = `
Data goes to standard output, words to standard error. Exit codes: 0 done;
1 check or audit found errors, or convert refused a record; 2 wrong usage, or an
input or output that fails; 70 a bug in openchatml; 75 a failure that may pass.
Output that nobody reads any more ends the work quietly, with 0.
The nearest openchatml.config.json upwards says how severe rules are, and gives
defaults for options.
`;

const EXAMPLES: Record<string, readonly [string, string][]> = {
  openchatml: [
    ['openchatml check chats/', 'what is wrong, with line and column'],
    ['openchatml scan --format json corpus.txt', 'what is in it, as JSON'],
  ],
  scan: [
    ['openchatml scan corpus.txt', 'counts by role, channel, end and token'],
    ['openchatml scan --format json --dialect harmony raw/ > counts.json', ''],
  ],
  check: [
    ['openchatml check --max-warnings 0 chats/', 'warnings fail too'],
    ['openchatml check --format sarif chats/ > check.sarif', 'for code scanning; exit codes stay'],
  ],
  messages: [
    ['openchatml messages --only-role assistant --only-channel final chat.ocml | jq -r .content', ''],
    ['openchatml messages --at 1234567 corpus.txt', 'the message that holds a byte'],
  ],
  render: [
    ['openchatml render chat.ocml', 'what the user saw'],
    ['openchatml render --format html --debug -o pages/ corpus.txt', 'pages, hidden messages in closed details'],
  ],
  convert: [
    ['openchatml convert --to openchatml-2.2 chats.jsonl > chats.ocml', 'chat records to text'],
    ['openchatml convert --to messages --dialect harmony raw.txt', 'one record a line'],
  ],
  audit: [
    ['openchatml audit --format concise chats.jsonl', 'user and tool text that forges messages'],
    ['openchatml audit --fix --output clean.jsonl chats.jsonl', 'a copy without it'],
  ],
  filter: [
    ['openchatml filter < records.jsonl > verdicts.jsonl', 'one line out for each line in, in order'],
    ['zcat records.jsonl.gz | openchatml filter --emit keep > clean.jsonl', 'the lines without errors, as they are'],
  ],
  stream: [
    ['model | openchatml stream --dialect harmony --completion-role assistant', 'its events, a line each'],
    ['model | openchatml stream --completion-role assistant --events responses --format sse', ''],
  ],
  run: [
    ['openchatml run --out verdicts/ corpus/', 'the same call again goes on where it was stopped'],
    ['openchatml run --shard-index 3 --shard-count 16 --out verdicts/ corpus/', 'one share of sixteen'],
  ],
  merge: [
    ['openchatml merge verdicts/', 'the sums of all shares, as JSON'],
    ['openchatml merge --output all.ndjson verdicts/', 'and one file of all lines'],
  ],
  explain: [
    ['openchatml explain missing-end', 'a rule: severity, clause, remedy, examples'],
    ['openchatml explain E-CALL-SCHEMA', 'a code and its rules'],
  ],
  serve: [
    ['openchatml serve', 'then open the address that it prints'],
    ['openchatml serve --port 0 --quiet', 'the address alone, with any free port'],
  ],
  completion: [
    ['openchatml completion bash > ~/.local/share/bash-completion/completions/openchatml', 'for every new shell'],
    ['openchatml completion pwsh | Out-String | Invoke-Expression', 'in the profile of PowerShell'],
  ],
};

/** The examples of a command, as lines of its help. */
export function examplesOf(name: string): string {
  const lines = EXAMPLES[name]!.map(([line, words]) => `  ${line}${words && `   # ${words}`}\n`);
  return `\nExamples:\n${lines.join('')}`;
}
