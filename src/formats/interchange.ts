// The JSON interchange forms: what there is. interchange-shape.ts tells their keys.

export { fromInterchange, fromInterchange20, fromInterchange22 } from './interchange-read.ts';
export type {
  InterchangeCall,
  InterchangeMessage,
  InterchangeRecord,
  InterchangeToolCall,
} from './interchange-shape.ts';
export { toInterchange20, toInterchange22 } from './interchange-write.ts';
