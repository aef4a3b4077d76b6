// Examples of rules, loaded when one is explained.

export { EXAMPLES } from '../tools.ts';
