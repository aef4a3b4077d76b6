// openchatml/node: everything of openchatml, and files of any size.

export * from './index.ts';
export { InputError } from './corpus/error.ts';
export {
  checkFile, type FileDiagnostic, type FileMessage, readMessages, scanCorpus, scanFile,
} from './corpus/files.ts';
export type { PlacedMessage } from './corpus/messages.ts';
export type { Path } from './corpus/input/paths.ts';
export { FileSource, type InputSource } from './corpus/input/source.ts';
export type { UnitForm, UnitOptions } from './corpus/records/unit.ts';
