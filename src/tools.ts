// openchatml/tools: definitions of tools, and checks that look at calls and their arguments.

export type { JsonSchema, ToolDefinition } from './model/data.ts';
export type { CheckOptions } from './rules/check-options.ts';
export { check, checkSource } from './rules/check-source.ts';
export { type Example, EXAMPLES } from './rules/examples.ts';
export { type ArgumentFinding, type CompiledTool, compileTool } from './tools/compile.ts';
export { readDeclarations } from './tools/declarations.ts';
export { toolsFromOpenAI, toolsToOpenAI } from './tools/records.ts';
export type { ToolProblem, ToolsRead, ToolsWritten } from './tools/types.ts';
export { writeDeclarations } from './tools/write-declarations.ts';
