// Files of chat records: made once, kept in the cache folder with what is in them, used again when they are there.
import { join } from 'node:path';
import { cached, cacheFolder } from '../corpus.ts';
import { bump, emptyCounts } from '../counts.ts';
import { type Found, NONE } from '../group.ts';
import { writeFile } from '../output.ts';
import { Random } from '../random.ts';
import { type ChatRecord, eachDialogue, eachMade, hasDialogues, type Take } from './record.ts';
import { TOKEN, type Variant, write } from './variants.ts';

export interface RecordFile {
  path: string;
  /** What readers must find. */
  found: Found;
}

/** Goes up with every change of what is written, so that old files are not taken for new ones. */
const GENERATOR = 1;

/** Records of a variant, about `size` bytes of them. `isReal`: the dialogues, where they are at hand. */
export function recordFile(
  variant: Variant, size: number, seed: number, folder = cacheFolder(), isReal = hasDialogues(),
): RecordFile {
  const { name, change, holds } = variant;
  const source = isReal ? 'real' : `made-${seed}`;
  const path = join(folder, `records-${name}-${source}-${size}-v${GENERATOR}.jsonl`);
  const found = cached<Found>(path, () =>
    writeFile(path, (output) => {
      const found: Found = { ...emptyCounts(), ...NONE };
      const random = new Random(seed, `records ${name}`);
      const take: Take = (record) => {
        const changed = change?.(record, found.lines, random) ?? record;
        output.utf8(textOf(variant, changed, found.lines));
        found.lines++;
        const chats = holds?.(record) ?? [variant.isOther ? record : (changed as ChatRecord)];
        for (const chat of chats) count(chat, found);
        return output.bytes < size;
      };
      if (isReal) eachDialogue(take);
      else eachMade(seed, size, take);
      if (variant.isList) output.utf8('\n]\n');
      return { ...found, bytes: output.bytes };
    }),
  );
  return { path, found };
}

/** A record with what stands around it. */
function textOf({ spelling, isList }: Variant, record: object, n: number): string {
  if (!isList) return `${write(record, spelling)}\n`;
  return (n === 0 ? '[\n' : ',\n') + JSON.stringify(record, null, 2);
}

function count({ messages, tools }: ChatRecord, found: Found): void {
  found.transcripts++;
  if (tools) found.definitions++;
  for (const message of messages) {
    found.messages++;
    bump(found.roles, message.role);
    if (message.content?.includes(TOKEN)) found.hiddenTokens++;
    if (!('tool_calls' in message)) continue;
    for (const { function: { name, arguments: text } } of message.tool_calls ?? []) {
      found.calls++;
      const given = JSON.parse(text) as object;
      const { required = [] } = tools!.find((tool) => tool.function.name === name)!.function.parameters;
      if (required.some((key) => !Object.hasOwn(given, key))) found.errors++;
    }
  }
}
