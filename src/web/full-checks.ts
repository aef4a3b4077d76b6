// All that is checked: tools, their arguments, and document headers of any YAML. Larger than the rest of the first
// load, so that it comes after it.

import { check } from '../tools.ts';
import { readYaml } from '../yaml.ts';
import type { Checks } from './analysis.ts';

export const FULL: Checks = { isFull: true, check, yaml: readYaml };
