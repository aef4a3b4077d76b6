// openchatml/yaml: reads document headers of any YAML, for the option `yaml`.

export { readYaml } from './model/header/yaml.ts';
export type { HeaderText, HeaderValue, ReadYaml } from './model/header/text.ts';
