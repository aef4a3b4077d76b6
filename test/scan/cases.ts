// Small tables written by hand from assembly/README.md, for every build of the scanner.
import * as abi from '../../src/abi.ts';
import { DETECTED_20, DETECTED_22, DIALECTS, type Dialect } from '../../src/scan/dialects.ts';
import type { Plan } from './drive.ts';

const V22 = DIALECTS['openchatml-2.2'];
const V20 = DIALECTS['openchatml-2.0'];
const V01 = DIALECTS['openchatml-0.1'];
const HARMONY = DIALECTS.harmony;

type Answer = NonNullable<Plan['answers']>;
export type Case = [input: string, rows: string[], options?: { how?: number; answers?: Answer }];

/** Cases of one dialect. A row is `kind token sayings|bytes`, two spaces a level: what `show` makes of it. */
export const CASES: [string, Dialect, Case[]][] = [
  ['messages', V22, [
    ['', []],
    [' \r\n\t', []],
    ['<|start|>user<|message|>hi<|end|>', [
      'message end plain role:user|<|start|>user<|message|>hi<|end|>',
      '  body|hi',
    ]],
    ['<|start|>assistant<|channel|>final<|message|>a\n<|return|>\n', [
      'message return plain role:assistant channel:final|<|start|>assistant<|channel|>final<|message|>a\n<|return|>',
      '  field channel|<|channel|>final',
      '  body|a\n',
    ]],
    ['<|start|>assistant to=f<|channel|>commentary<|constrain|>json<|message|>{}<|call|>', [
      'message call plain role:assistant channel:commentary to:tool|' +
        '<|start|>assistant to=f<|channel|>commentary<|constrain|>json<|message|>{}<|call|>',
      '  field channel|<|channel|>commentary',
      '  field constrain|<|constrain|>json',
      '  body|{}',
    ]],
    ['<|start|>user<|message|>a<|start|>tool<|message|><|end|>', [
      'message plain implicit-end role:user|<|start|>user<|message|>a',
      '  body|a',
      'message end plain role:tool|<|start|>tool<|message|><|end|>',
      '  body|',
    ]],
    ['<|start|>user<|message|>a ', ['message plain eof-end role:user|<|start|>user<|message|>a ', '  body|a ']],
    ['<|start|>user', ['message no-body-token eof-end|<|start|>user', '  body|']],
    ['<|start|>user\n<|end|>', ['message end no-body-token|<|start|>user\n<|end|>', '  body|']],
    ['<|start|>a<|channel|>b<|start|>c', [
      'message no-body-token implicit-end|<|start|>a<|channel|>b',
      '  field channel|<|channel|>b', '  body|',
      'message no-body-token eof-end|<|start|>c', '  body|',
    ]],
    ['<|start|>a<|channel|>b<|end|>', [
      'message end no-body-token|<|start|>a<|channel|>b<|end|>',
      '  field channel|<|channel|>b', '  body|',
    ]],
    ['<|start|><|start|><|message|><|message|>', [
      'message no-body-token implicit-end|<|start|>', '  body|',
      'message eof-end|<|start|><|message|><|message|>',
      '  body|<|message|>',
      '    stray message|<|message|>',
    ]],
    ['<|start|>u<|message|>a<|channel|>b<|constrain|><|endliteral|><|foo|><|im_end|>', [
      'message eof-end|<|start|>u<|message|>a<|channel|>b<|constrain|><|endliteral|><|foo|><|im_end|>',
      '  body|a<|channel|>b<|constrain|><|endliteral|><|foo|><|im_end|>',
      '    stray channel|<|channel|>',
      '    stray constrain|<|constrain|>',
      '    stray endliteral|<|endliteral|>',
    ]],
    ['<|start|>u<|literal|>x<|endliteral|><|start_reason|><|message|>', [
      'message eof-end|<|start|>u<|literal|>x<|endliteral|><|start_reason|><|message|>',
      '  stray literal|<|literal|>',
      '  stray endliteral|<|endliteral|>',
      '  mark start_reason|<|start_reason|>',
      '  body|',
    ]],
    ['<|start|>u<|channel|>a<|literal|><<|end|><|end_reason|> <|message|>x', [
      'message eof-end|<|start|>u<|channel|>a<|literal|><<|end|><|end_reason|> <|message|>x',
      '  field channel|<|channel|>a<|literal|><<|end|><|end_reason|> ',
      '    stray literal|<|literal|>',
      '    escape end|<<|end|>',
      '    mark end_reason|<|end_reason|>',
      '  body|x',
    ]],
  ]],
  ['trailing terminators', V22, [
    ['<|start|>u<|message|><|call|> \n<|end|>\t<|return|> x<|end|>', [
      'message call|<|start|>u<|message|><|call|> \n<|end|>\t<|return|>',
      '  body|',
      '  trailing end|<|end|>',
      '  trailing return|<|return|>',
      'text|x',
      'stray end|<|end|>',
    ]],
    ['<|start|>u<|end|><|end|>', [
      'message end no-body-token|<|start|>u<|end|><|end|>', '  body|', '  trailing end|<|end|>',
    ]],
    ['<|start|>u<|end|><s><|end|><|end|>', [
      'message end no-body-token|<|start|>u<|end|>', '  body|', 'bound <s>|<s>', 'stray end|<|end|>',
      'stray end|<|end|>',
    ]],
    ['<|start|>u<|end|><|literal|><|end|>', [
      'message end no-body-token|<|start|>u<|end|>', '  body|', 'stray literal|<|literal|>', 'stray end|<|end|>',
    ]],
    ['<|start|>u<|end|><\n---\n\n<|end|>', [
      'message end no-body-token|<|start|>u<|end|>', '  body|', 'text|<', 'header|---\n\n', 'stray end|<|end|>',
    ]],
    ['<|end|><|end|>', ['stray end|<|end|>', 'stray end|<|end|>']],
  ]],
  ['escapes and literals', V22, [
    ['<|start|>u<|message|><<|end|><<<|start|><<<', [
      'message eof-end|<|start|>u<|message|><<|end|><<<|start|><<<',
      '  body|<<|end|><<<|start|><<<',
      '    escape end|<<|end|>',
      '    escape start|<<|start|>',
    ]],
    ['<|start|>u<|message|><<|foo|><<|start_reason|><<|im_end|><<|end', [
      'message eof-end|<|start|>u<|message|><<|foo|><<|start_reason|><<|im_end|><<|end',
      '  body|<<|foo|><<|start_reason|><<|im_end|><<|end',
      '    mark start_reason|<|start_reason|>',
    ]],
    ['<|start|>u<|message|>a<|literal|>b<|end|><<|end|><|start_reason|><<|endliteral|>c<|end|>', [
      'message end|<|start|>u<|message|>a<|literal|>b<|end|><<|end|><|start_reason|><<|endliteral|>c<|end|>',
      '  body|a<|literal|>b<|end|><<|end|><|start_reason|><<|endliteral|>c',
      '    literal literal|<|literal|>b<|end|><<|end|><|start_reason|><<|endliteral|>',
    ]],
    ['<|start|>u<|message|><<|literal|><|literal|><|literal|><|endliteral', [
      'message eof-end|<|start|>u<|message|><<|literal|><|literal|><|literal|><|endliteral',
      '  body|<<|literal|><|literal|><|literal|><|endliteral',
      '    escape literal|<<|literal|>',
      '    literal literal unterminated|<|literal|><|literal|><|endliteral',
    ]],
    ['a<<|end|>b<<|start_reason|><<', ['text|a<', 'stray end|<|end|>', 'text|b<<|start_reason|><<']],
    ['<<|channel|>x<<|message|>', [
      'text|<', 'message implied no-body-token eof-end|<|channel|>x<<|message|>',
      '  field channel|<|channel|>x<<|message|>', '    escape message|<<|message|>', '  body|',
    ]],
    ['<<<|start|>u<|end|>', ['text|<<', 'message end no-body-token|<|start|>u<|end|>', '  body|']],
  ]],
  ['gaps', V22, [
    [' a b \n c\r\n<|start|>', ['text|a b \n c', 'message no-body-token eof-end|<|start|>', '  body|']],
    ['\0\x0b[', ['text|\0\x0b[']],
    ['a<s>b</s> [BOS]\n[EOS]<|s><s', [
      'text|a', 'bound <s>|<s>', 'text|b', 'bound </s>|</s>', 'bound [BOS]|[BOS]', 'bound [EOS]|[EOS]', 'text|<|s><s',
    ]],
    ['<<s>[[BOS][EO', ['text|<', 'bound <s>|<s>', 'text|[', 'bound [BOS]|[BOS]', 'text|[EO']],
    ['<|constrain|> <|literal|><|endliteral|>x', [
      'stray constrain|<|constrain|>', 'stray literal|<|literal|>', 'stray endliteral|<|endliteral|>', 'text|x',
    ]],
    ['a<|start_reason|><|im_start|><|foo|>', ['text|a<|start_reason|><|im_start|><|foo|>']],
    ['\ufeff \n<|channel|>final<|message|>x<|end|>', [
      'message end implied at-start|<|channel|>final<|message|>x<|end|>', '  field channel|<|channel|>final',
      '  body|x',
    ]],
    ['<|message|>x<|end|><|message|>', [
      'message end implied at-start|<|message|>x<|end|>', '  body|x', 'message implied eof-end|<|message|>', '  body|',
    ]],
    ['x<|channel|>', [
      'text|x', 'message implied no-body-token eof-end|<|channel|>', '  field channel|<|channel|>', '  body|',
    ]],
    ['<s><|channel|>', [
      'bound <s>|<s>', 'message implied no-body-token eof-end|<|channel|>', '  field channel|<|channel|>', '  body|',
    ]],
    ['\ufeff', []],
    ['\ufeff\ufeff', ['text|\ufeff']],
    [' \ufeff', ['text|\ufeff']],
    ['\xef\xbb', ['text|\xef\xbb']],
    ['\xef\xbb<|end|>', ['text|\xef\xbb', 'stray end|<|end|>']],
  ]],
  ['plain headers', V22, [
    ...plain([
      ['<|start|> \r\n\tsystem ', ' role:system'],
      ['<|start|>developer to=all name=n intent=debug call_id=c content_type=text', ' role:developer to:person'],
      ['<|start|>user to=user', ' role:user to:person'],
      ['<|start|>tool to=assistant', ' role:tool to:person'],
      ['<|start|>tool to=assistants', ' role:tool to:tool'],
      ['<|start|>tool to=a=<|b', ' role:tool to:tool'],
      ['<|start|>user name=\x7e!', ' role:user'],
      ['<|start|>functions.a-B_9.c to=assistant', ' role:tool to:person'],
      ['<|start|>user', ' role:user channel:final', '<|channel|>final json'],
      ['<|start|>user', ' role:user channel:final to:tool', '<|channel|>final to=x json name=n'],
    ]),
    ...plain([
      ['<|start|>assistant', ' role:assistant channel:analysis', '<|channel|>analysis'],
      ['<|start|>assistant name=n', ' role:assistant channel:final to:tool', '<|channel|> final \nto=x intent=debug '],
      ['<|start|>user', ' role:user', '<|constrain|> a\x21 '],
      ['<|start|>user', '', '<|constrain|>0123456789abcdef='],
    ]),
    ...plain([
      ['<|start|>', ''], ['<|start|>User', ''], ['<|start|>userx', ''], ['<|start|>user user', ''],
      ['<|start|>to=x', ''],
      ['<|start|>to=x user', ''], ['<|start|>user to=', ''], ['<|start|>user to', ''], ['<|start|>user x=y', ''],
      ['<|start|>user to=x to=x', ''], ['<|start|>user name=\x7f', ''], ['<|start|>user name=\u00e9', ''],
      ['<|start|>user:eric', ''],
      ['<|start|>functions.', ''], ['<|start|>functions.x/y', ''], ['<|start|>user\0', ''], ['<|start|>user=', ''],
      ['<|start|>user TO=x', ''],
      ['<|start|>user\u00a0to=x', ''], ['<|start|>assistantassistant', ''],
      ['<|start|>user name=0123456789abcdefghij\x01', ''],
    ]),
    ...plain([
      ['<|start|>user to=x', '', '<|channel|>final to=x'], ['<|start|>user', '', '<|channel|>'],
      ['<|start|>user', '', '<|channel|>other'],
      ['<|start|>user', '', '<|channel|>final json x'], ['<|start|>user', '', '<|channel|>final a.b'],
      ['<|start|>user', '', '<|channel|>to=x final'],
      ['<|start|>user', '', '<|constrain|>'],
      ['<|start|>user', '', '<|constrain|>json x'], ['<|start|>user', '', '<|constrain|>\x7f'],
      ['<|start|>final', '', '<|channel|>final'],
    ]),
    ['<|start|>user<|channel|>final<|channel|>final<|message|>', [
      'message eof-end|<|start|>user<|channel|>final<|channel|>final<|message|>',
      '  field channel|<|channel|>final', '  field channel|<|channel|>final', '  body|',
    ]],
    ['<|start|>user<|constrain|>a<|constrain|>b<|message|>', [
      'message eof-end|<|start|>user<|constrain|>a<|constrain|>b<|message|>',
      '  field constrain|<|constrain|>a', '  field constrain|<|constrain|>b', '  body|',
    ]],
    ['<|start|>user<|constrain|>a<|channel|>final<|message|>', [
      'message plain eof-end role:user channel:final|<|start|>user<|constrain|>a<|channel|>final<|message|>',
      '  field constrain|<|constrain|>a', '  field channel|<|channel|>final', '  body|',
    ]],
    ...[0, 1].flatMap((more) => plain([
      [`<|start|>user name=${'n'.repeat(abi.PLAIN_BYTES - 10 + more)}`, more === 0 ? ' role:user' : ''],
      [
        '<|start|>user',
        more === 0 ? ' role:user channel:final' : '',
        `<|channel|>final${' '.repeat(abi.PLAIN_BYTES - 5 + more)}`,
      ],
    ])),
    ['<|start|>user<<|end|><|message|>', [
      'message eof-end|<|start|>user<<|end|><|message|>', '  escape end|<<|end|>', '  body|',
    ]],
  ]],
  ['document headers', V22, [
    ['---\nversion: 2.2\n---\n<|start|>u', [
      'header at-start|---\nversion: 2.2\n---\n', 'message no-body-token eof-end|<|start|>u', '  body|',
    ]],
    ['\ufeff\r\n \t\n---\t \r\n', ['header at-start|---\t \r\n']],
    ['---', ['header at-start|---']],
    ['--', ['text|--']],
    ['----\n', ['text|----']],
    ['---  x\n---\n', ['text|---  x', 'header|---\n']],
    ['---  <|start|>', ['text|---', 'message no-body-token eof-end|<|start|>', '  body|']],
    ['---<s>', ['text|---', 'bound <s>|<s>']],
    [' ---\n', ['text|---']],
    ['#<|start|>', ['header at-start|#<|start|>']],
    ['#<|start|>u', ['header at-start|#', 'message no-body-token eof-end|<|start|>u', '  body|']],
    ['# c\n---\n...\nx: 1\n', ['header at-start|# c\n---\n...\nx: 1\n']],
    ['---\n# c\n\n  \n...\n  # d\nx: 1\n... \r\n<|end|>', [
      'header at-start|---\n# c\n\n  \n...\n  # d\nx: 1\n... \r\n', 'stray end|<|end|>',
    ]],
    ['---\n ---\n...', ['header at-start|---\n ---\n...']],
    ['---\n ---\n...\nx', ['header at-start|---\n ---\n...\n', 'text|x']],
    ['---\n--\n---\nx', ['header at-start|---\n--\n---\n', 'text|x']],
    ['---\na\n....\n...x\n-..\n--- x\n---\nx', ['header at-start|---\na\n....\n...x\n-..\n--- x\n---\n', 'text|x']],
    ['key:', ['header at-start|key:']],
    ['_K-9: x\n---\n', ['header at-start|_K-9: x\n---\n']],
    ['key:x\n', ['text|key:x']],
    ['key : x\n', ['text|key : x']],
    ['9k: x\n', ['text|9k: x']],
    ['key', ['text|key']],
    ['a\nkey: x\nversion:\n', ['text|a\nkey: x', 'header|version:\n']],
    ['a\nversion:2\nversio: 2\nVersion: 2\nversion : 2', ['text|a\nversion:2\nversio: 2\nVersion: 2\nversion : 2']],
    ['a\nversion', ['text|a\nversion']],
    ['a\n# c', ['text|a\n# c']],
    ['<|start|>u<|end|>---\n\nversion: 2.0\n\n...\n', [
      'message end no-body-token|<|start|>u<|end|>', '  body|', 'text|---', 'header|version: 2.0\n\n...\n',
    ]],
    ['<|start|>u<|end|>\n---\nx: 1\n---\n---\ny: 1\n', [
      'message end no-body-token|<|start|>u<|end|>', '  body|', 'header|---\nx: 1\n---\n', 'header|---\ny: 1\n',
    ]],
    ['---\na: "<|start|>" <<|start|>\n<<|end|>\n<|foo|>\n<|end|>', [
      'header at-start|---\na: "<|start|>" <<|start|>\n<<|end|>\n<|foo|>\n', 'stray end|<|end|>',
    ]],
    ['---\n<<|start|>u', ['header at-start|---\n<', 'message no-body-token eof-end|<|start|>u', '  body|']],
    ['---\n<|start|>', ['header at-start|---\n', 'message no-body-token eof-end|<|start|>', '  body|']],
    ['---\na: <|end|><|start|>u', [
      'header at-start|---\na: <|end|>', 'message no-body-token eof-end|<|start|>u', '  body|',
    ]],
    ['---\n <|end|>\n<|start_reason|>\n<|im_start|>', [
      'header at-start|---\n <|end|>\n<|start_reason|>\n<|im_start|>',
    ]],
    ['<s>\n---\n', ['bound <s>|<s>', 'header|---\n']],
    ['---\n<|message|>', ['header at-start|---\n', 'message implied eof-end|<|message|>', '  body|']],
  ]],
  ['detected 2.2', DETECTED_22, [
    ['# c\n<|im_start|>user\nx\n---\n', [
      'header at-start|# c\n', 'message plain eof-end role:user|<|im_start|>user\nx\n---\n', '  body|x\n---\n',
    ], { answers: () => V01 }],
    ['x\n---\n<|end|>', ['text|x', 'header|---\n', 'stray end|<|end|>']],
    ['a: 1\n<|im_start|>user\n', ['header at-start|a: 1\n', 'text|<|im_start|>user']],
    ['a: 1\n<|reason|>', ['header at-start|a: 1\n', 'text|<|reason|>']],
    ['a: 1\n<|start_reason|>', ['header at-start|a: 1\n', 'text|<|start_reason|>']],
    ['a: <|im_start|>u\n', ['header at-start|a: <|im_start|>u\n']],
    ['<|start|>user name=<|im_end|>x<|message|><|im_end|><<|reason|>', [
      'message plain eof-end role:user|<|start|>user name=<|im_end|>x<|message|><|im_end|><<|reason|>',
      '  body|<|im_end|><<|reason|>',
    ]],
  ]],
  ['2.0', V20, [
    ['<|start|>u<|constrain|>x<|message|><<|end|>', [
      'message end|<|start|>u<|constrain|>x<|message|><<|end|>', '  body|<',
    ]],
    ['<<|start|>u<|message|><|literal|><|end|>', [
      'text|<', 'message end|<|start|>u<|message|><|literal|><|end|>', '  body|<|literal|>',
    ]],
    ['---\na: <<|start|>u', ['header at-start|---\na: <', 'message no-body-token eof-end|<|start|>u', '  body|']],
    ['<|constrain|><|literal|>', ['text|<|constrain|><|literal|>']],
  ]],
  ['detected 2.0', DETECTED_20, [
    ['a: 1\n<|literal|>', ['header at-start|a: 1\n', 'text|<|literal|>']],
    ['<|start|>user<|message|><<|end|>', ['message end plain role:user|<|start|>user<|message|><<|end|>', '  body|<']],
  ]],
  ['Harmony', HARMONY, [
    ['---\na: 1\n---\n', ['text|---\na: 1\n---']],
    ['<|start|>u<|message|><<|end|><|literal|><|start_reason|>', [
      'message end|<|start|>u<|message|><<|end|>', '  body|<', 'text|<|literal|><|start_reason|>',
    ]],
    ['<|start|>u<|constrain|>x<|message|><|message|>', [
      'message eof-end|<|start|>u<|constrain|>x<|message|><|message|>',
      '  field constrain|<|constrain|>x', '  body|<|message|>', '    stray message|<|message|>',
    ]],
  ]],
  ['0.1', V01, [
    ['<|im_start|>user name=n \r\nhi\r\n<|im_end|>\n', [
      'message im_end plain role:user|<|im_start|>user name=n \r\nhi\r\n<|im_end|>', '  body|hi\r\n',
    ]],
    [`<|im_start|>user${' '.repeat(abi.PLAIN_BYTES - 4)}\n`, [
      `message plain eof-end role:user|<|im_start|>user${' '.repeat(abi.PLAIN_BYTES - 4)}\n`, '  body|',
    ]],
    ['<|im_start|>developer\n', ['message eof-end|<|im_start|>developer\n', '  body|']],
    ['<|im_start|>user hi<|im_end|> <|im_end|>', [
      'message im_end no-body-token|<|im_start|>user hi<|im_end|> <|im_end|>', '  body|',
      '  trailing im_end|<|im_end|>',
    ]],
    ['<|im_start|>user<|im_start|>tool\n\n<|im_start|>', [
      'message no-body-token implicit-end|<|im_start|>user', '  body|',
      'message plain implicit-end role:tool|<|im_start|>tool\n\n', '  body|\n',
      'message no-body-token eof-end|<|im_start|>', '  body|',
    ]],
    ['<|im_start|>assistant <|reason|>x\n<|fim_prefix|><|start|><|im_end|>', [
      'message im_end no-body-token|<|im_start|>assistant <|reason|>x\n<|fim_prefix|><|start|><|im_end|>',
      '  body|<|reason|>x\n<|fim_prefix|><|start|>',
      '    mark reason|<|reason|>',
      '    mark fim_prefix|<|fim_prefix|>',
    ]],
    ['a<|fim_prefix|>b<|fim_suffix|>\n<|fim_middle|><|file_separator|><|reason|><|im_end|>[BOS]', [
      'text|a', 'file fim_prefix|<|fim_prefix|>', 'text|b', 'file fim_suffix|<|fim_suffix|>',
      'file fim_middle|<|fim_middle|>',
      'file file_separator|<|file_separator|>', 'text|<|reason|>', 'stray im_end|<|im_end|>', 'bound [BOS]|[BOS]',
    ]],
    ['<<|im_start|>user\n<<|im_end|>', [
      'text|<', 'message im_end plain role:user|<|im_start|>user\n<<|im_end|>', '  body|<',
    ]],
    ['\n---\na: 1\n---\n', ['text|---\na: 1\n---']],
  ]],
  ['the role of the caller', V22, given(abi.AT_ROLE, [
    ['\ufeff \n', []],
    [' \n<|start|>u', ['message no-body-token eof-end|<|start|>u', '  body|']],
    ['\ufeff hi<|end|>', ['message end by-role no-body-token|hi<|end|>', '  body|']],
    [' to=functions.x<|channel|>final<|message|>a', [
      'message by-role eof-end|to=functions.x<|channel|>final<|message|>a', '  field channel|<|channel|>final',
      '  body|a',
    ]],
    ['<|message|>---\n<|end|>\n---\n', ['message end by-role|<|message|>---\n<|end|>', '  body|---\n', 'header|---\n']],
    ['<|end|>', ['message end by-role no-body-token|<|end|>', '  body|']],
    ['<<|start|>u', ['message by-role no-body-token eof-end|<<|start|>u', '  escape start|<<|start|>', '  body|']],
    ['---\nversion: 2.2\n', ['message by-role no-body-token eof-end|---\nversion: 2.2\n', '  body|']],
    ['<|sta', ['message by-role no-body-token eof-end|<|sta', '  body|']],
  ])],
  ['the role of the caller in 0.1', V01, given(abi.AT_ROLE, [
    ['\ufeff \n', []],
    ['\ufeff \n<|im_start|>u', ['message no-body-token eof-end|<|im_start|>u', '  body|']],
    ['\ufeff \nhi<|reason|><|im_end|>', [
      'message im_end by-role| \nhi<|reason|><|im_end|>', '  body| \nhi<|reason|>', '    mark reason|<|reason|>',
    ]],
    ['                                                                  \n<|im_end|>', [
      'message im_end by-role|                                                                  \n<|im_end|>',
      '  body|                                                                  \n',
    ]],
  ])],
  ['somewhere later', V22, given(abi.IN_GAP, [
    ['---\n<|end|>', ['text|---', 'stray end|<|end|>']],
    ['key: x\n---\n', ['text|key: x', 'header|---\n']],
    ['\n---\n', ['header|---\n']],
    ['\n# c\nkey: x', ['text|# c\nkey: x']],
    ['\ufeff<|message|>', ['text|\ufeff', 'message implied eof-end|<|message|>', '  body|']],
    ['<|message|>', ['message implied eof-end|<|message|>', '  body|']],
  ])],
];

/** Messages that are only a header, with a field or without, and the body token: what their word says. */
function plain(messages: [string, string, string?][]): Case[] {
  return messages.map(([start, ids, field]) => {
    const token = field?.startsWith('<|channel|>') ? 'channel' : 'constrain';
    const input = `${start}${field ?? ''}<|message|>`;
    return [input, [
      `message${ids === '' ? '' : ' plain'} eof-end${ids}|${input}`,
      ...(field === undefined ? [] : [`  field ${token}|${field}`]),
      '  body|',
    ]];
  });
}

function given(how: number, cases: [string, string[]][]): Case[] {
  return cases.map(([input, rows]) => [input, rows, { how }]);
}

/** UTF-8; a text with half a byte order mark is taken as bytes. */
export function bytesOf(text: string): Uint8Array {
  return text.includes('\xef\xbb') ? Uint8Array.from(text, (one) => one.charCodeAt(0)) : new TextEncoder().encode(text);
}
