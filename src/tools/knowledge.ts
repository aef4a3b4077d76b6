// All that is known of tools: definitions are read, and arguments are checked.

import { ToolCache } from './cache.ts';
import { KnownBlocks } from './declarations.ts';
import { type ToolKnowledge, ToolMemory } from './known.ts';
import { toolsOf } from './message.ts';

const KNOWLEDGE: ToolKnowledge = {
  reader() {
    const blocks = new KnownBlocks();
    return (definer) => toolsOf(definer, blocks);
  },
  cache: (limits, budget) => new ToolCache(limits, budget),
};

export const newToolMemory = (): ToolMemory => new ToolMemory(KNOWLEDGE);
