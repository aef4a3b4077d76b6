// The exports of the record machine: chat records in JSON, as rows. README.md specifies the calls.

import { prepare } from '../text-escape';

/** To be called first: first byte that the host may use. */
export function memoryFrom(): usize {
  prepare();
  return __heap_base;
}

/** Whether this build searches with SIMD. */
export function usesSimd(): bool { return ASC_FEATURE_SIMD; }

export { lastLine } from '../text-lines';
export { fieldRoom, holdsCodedTags, linesPassed, recordsPassed, scanLines, scanTo, setField } from './chat';
export { asksForTools, checkRecords, countRecords, transcriptsPassed } from './check';
export { placeScratch } from './fit';
export { joinLines, objectEnd } from './join';
export { placeTable } from './state';
export {
  beginTools, entryFrom, entryLength, entryStatus, giveTools, placeTools, roomForTools, setEntryStatus, toolsGeneration,
  trustTools,
} from './tools';
export {
  beginLines, clearTexts, linesSides, linesTo, linesWritten, setPiece, setText, wantedText, writeCells, writeLines,
} from './lines';
export { auditRecords, mayHold } from './audit';
export { declaredFrom, declaresAll, declareTools } from './declare';
export { listFrom, listTools } from './list-tools';
export { copyTranscripts } from './transcripts';
export { verdictsTo, writeVerdicts } from './verdicts';
export {
  fieldsLost, firstMadeMessage, firstMadeRecord, firstNamedMessage, firstNamedRecord, idsLost, idsMade,
  missingText, preamblesLost, repliesNamed, textsTo, textsWritten, thoughtsLost, wordsRenamed, writeTexts,
} from './texts';
