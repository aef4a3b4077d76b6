// The JSON interchange forms: what there is. shape.ts tells their keys.

export { fromInterchange, fromInterchange20, fromInterchange22 } from './read.ts';
export type {
  InterchangeCall,
  InterchangeMessage,
  InterchangeRecord,
  InterchangeToolCall,
} from './shape.ts';
export { toInterchange20, toInterchange22 } from './write.ts';
