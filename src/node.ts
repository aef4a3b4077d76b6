// openchatml/node: everything of openchatml, with all that is known of tools and YAML, and files of any size.

export * from './convert.ts';
export * from './index.ts';
export * from './stream.ts';
export * from './tools.ts';
export * from './yaml.ts';
export { rescue } from './runtime/stream/rescue.ts';
export { textToChat } from './formats/chats-node.ts';
export { check, checkSource } from './rules/check-source.ts';
export { parse, scan } from './rules/library-node.ts';
export { InputError } from './corpus/error.ts';
export {
  checkFile, type FileDiagnostic, type FileMessage, readMessages, scanCorpus, scanFile,
} from './corpus/files.ts';
export type { PlacedMessage } from './corpus/messages.ts';
export type { FilePath, Path } from './corpus/input/paths.ts';
export { FileSource, type InputSource } from './corpus/input/source.ts';
export type { FileForm, FileOptions } from './corpus/records/unit.ts';
