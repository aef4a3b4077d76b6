// Document headers of files: any YAML is read.

import { readYaml } from '../model/header/yaml.ts';
import { HeaderCache } from '../model/transcript.ts';

/** Knows no header yet. The YAML library is loaded when a header needs it. */
export const newHeaders = (): HeaderCache => new HeaderCache(undefined, (text) => readYaml(text));
