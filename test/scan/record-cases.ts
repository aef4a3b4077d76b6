// Small tables written by hand from assembly/README.md, for every build of the record scanner.

const U = (content: string): string => `{"role":"user","content":${content}}`;
const calledWith = (given: string): string => `"function":{"name":"f","arguments":${given}}`;
const CALL = calledWith('"{}"');
const turn = (from: string, value = '"a"'): string => `{"from":${from},"value":${value}}`;
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
const objects = (depth: number): string => '{"a":'.repeat(depth - 1) + '{}' + '}'.repeat(depth - 1);

/** A content as JSON, and one of a system, an assistant, a tool. */
const Q = (content: string): string => JSON.stringify(content);
const S = (content: string): string => `{"role":"system","content":${Q(content)}}`;
const A = (content: string): string => `{"role":"assistant","content":${Q(content)}}`;
const T = (content: string): string => `{"role":"tool","content":${Q(content)}}`;
const CALLED = '<tool_call>\n{"name": "f", "arguments": {"a": "b\\n"}}\n</tool_call>';
const CALLED_ROWS = ['assistant commentary call to-tool', '  recipient|f', '  body escaped|{\\"a\\": \\"b\\\\n\\"}'];
const OF_CALLS = 'calls no-id lost';

/** Entries in which calls and replies are written as text: as ENTRIES, of records that are ELSEWHERE. */
export const WRITTEN_ENTRIES: [entry: string, flags: string, rows: string[]][] = [
  [A(CALLED), OF_CALLS, CALLED_ROWS],
  [A('<tool_call>{"arguments": {}, "x": [1], "name": "f"}</tool_call>'), OF_CALLS, [
    'assistant commentary call to-tool', '  recipient|f', '  body|{}',
  ]],
  [A(`Ok.\r\n${CALLED}\n${CALLED} \n`), OF_CALLS, [
    'assistant commentary', '  body|Ok.', ...CALLED_ROWS, ...CALLED_ROWS,
  ]],
  [A(` \n${CALLED}`), OF_CALLS, CALLED_ROWS],
  [A(`<think>\n<tool_call>\n</think>\n\n${CALLED}`), OF_CALLS, [
    'assistant commentary', '  body escaped|<think>\\n<tool_call>\\n</think>\\n\\n', ...CALLED_ROWS,
  ]],
  [`{"role":"assistant","name":"n","thinking":"t","content":${Q(CALLED)}}`, OF_CALLS, [
    'assistant analysis', '  name|n', '  body|t', CALLED_ROWS[0]!, '  name|n', ...CALLED_ROWS.slice(1),
  ]],
  [
    '{"role":"assistant","content":"\\ud83d\\ude00 \\u00e9\\n'
      + '<tool_call>{\\"name\\":\\"f\\",\\"arguments\\":{}}</tool_call>"}',
    OF_CALLS,
    [
      'assistant commentary', '  body escaped coded|\\ud83d\\ude00 \\u00e9',
      'assistant commentary call to-tool', '  recipient|f', '  body|{}',
    ],
  ],
  // No tag begins a line, or all are within a thought that does not end.
  [A('in <tool_call> a line'), '', ['assistant final', '  body|in <tool_call> a line']],
  [A('<think>\n<tool_call>'), '', ['assistant final', '  body escaped|<think>\\n<tool_call>']],
  // Replies.
  [T('<tool_response>\nok\n</tool_response>'), 'no-id lost', ['tool commentary', '  body|ok']],
  ['{"role":"tool","tool_call_id":"c","name":"f","content":"<tool_response>a</tool_response>"}', 'lost', [
    'tool commentary', '  call_id|c', '  name|f', '  body|a',
  ]],
  [T('<tool_response>{"name": "f", "content": {"a": 1}}</tool_response>\n<tool_response>{"a": 1}</tool_response>'),
    'no-id lost', [
      'tool commentary', '  name|f', '  body escaped|{\\"a\\": 1}',
      'tool commentary', '  body escaped|{\\"a\\": 1}',
    ]],
  [T('<tool_response>{"content": "a", "name": ""}</tool_response>'), 'no-id lost', [
    'tool commentary', '  body escaped value|\\"a\\"',
  ]],
  [U(Q('See <tool_response> \r\na</tool_response> it. ')), 'no-id lost', [
    'user', '  body|See ', 'tool commentary', '  body escaped| \\r\\na', 'user', '  body| it. ',
  ]],
  // A tool says more than replies; one that does not end.
  [T('x<tool_response>a</tool_response>'), 'no-id', ['tool commentary', '  body|x<tool_response>a</tool_response>']],
  [U(Q('<tool_response>a')), '', ['user', '  body|<tool_response>a']],
  // Whose tags say nothing there.
  [U(Q(CALLED)), '', ['user', `  body escaped|${Q(CALLED).slice(1, -1)}`]],
  [S('<tools></tools> <tool_call>'), '', ['system', '  body|<tools></tools> <tool_call>']],
];

/** What a system says with definitions in it: the list, and whether anything else is said. */
export const WRITTEN_TOOLS: [content: string, list: string, isAlone: boolean][] = [
  ['<tools>[]</tools>', '[]', true],
  ['\n<tools>\n{"a": 1}\n</tools>', '\\n{\\"a\\": 1}\\n', true],
  ['\r\n<tools> {}\n{}</tools>', ' {}\\n{}', true],
  ['within <tools></tools> tags:\n<tools>\t{}</tools>\nUse {"name": <function-name>}.', '\\t{}', false],
  [' <tools>{}</tools>', '{}', false],
  ['<tools>{}</tools> ', '{}', false],
];

/** Entries of `messages`: what the record says of them, and the rows below it. */
export const ENTRIES: [entry: string, flags: string, rows: string[]][] = [
  // Roles.
  [U('"Hi"'), '', ['user', '  body|Hi']],
  ['{"role":"system","content":""}', '', ['system', '  body|']],
  ['{"role":"developer","content":"x"}', 'developer', ['developer', '  body|x']],
  ['{"role":"assistant","content":"x"}', '', ['assistant final', '  body|x']],
  ['{"role":"tool","tool_call_id":"c1","content":"x"}', '', ['tool commentary', '  call_id|c1', '  body|x']],
  ['{"role":"tool","name":"f","content":"x"}', 'no-id', ['tool commentary', '  name|f', '  body|x']],
  [
    '{"role":"function","name":"a.b-c_9","content":"x"}', 'no-id losses',
    ['tool commentary', '  name|a.b-c_9', '  body|x'],
  ],
  ['{"role":"tool_response","content":"x"}', 'no-id losses', ['tool commentary', '  body|x']],
  ['{"role":"tool_call","content":"{\\"name\\": \\"f\\", \\"arguments\\": {}}"}', 'calls no-id losses elsewhere', [
    'assistant commentary call to-tool', '  recipient|f', '  body|{}',
  ]],
  // Members in any order, with white space, and others.
  [' {\t"content" :\r"Hi" , "name":"Ann" ,"role" : "user" } ', '', ['user', '  name|Ann', '  body|Hi']],
  ['{"x":[{"role":"tool"}],"role":"user","content":"a","y":{"content":1},"x":null}', 'losses', ['user', '  body|a']],
  // Names and ids: null is none.
  ['{"role":"user","name":null,"content":"a"}', '', ['user', '  body|a']],
  ['{"role":"user","name":"a=b>{}","content":"a"}', '', ['user', '  name|a=b>{}', '  body|a']],
  [`{"role":"user","name":"${'n'.repeat(100)}","content":"a"}`, '', ['user', `  name|${'n'.repeat(100)}`, '  body|a']],
  ['{"role":"tool","tool_call_id":null,"name":null,"content":"a"}', 'no-id', ['tool commentary', '  body|a']],
  // Content.
  ['{"role":"user"}', '', ['user', '  body absent']],
  ['{"role":"assistant","content":null}', '', ['assistant final', '  body absent']],
  [U('"\u4f60 \u{1f600}"'), '', ['user', '  body|\u4f60 \u{1f600}']],
  [U('"a\\n\\"b\\\\"'), '', ['user', '  body escaped|a\\n\\"b\\\\']],
  [U('"\\u0041"'), '', ['user', '  body escaped coded|\\u0041']],
  [U('"\\/"'), '', ['user', '  body escaped coded|\\/']],
  [U('"\\\\u0041 \\\\/"'), '', ['user', '  body escaped|\\\\u0041 \\\\/']],
  [U('"\\ud83d\\uDE00"'), '', ['user', '  body escaped coded|\\ud83d\\uDE00']],
  [U('[]'), 'parts', ['user', '  body parts|[]']],
  [U('[{"type":"image_url"}]'), 'parts', ['user', '  body parts|[{"type":"image_url"}]']],
  [U('[ "a" ,{"type":"text","text":"\\n"}]'), 'parts', ['user', '  body parts|[ "a" ,{"type":"text","text":"\\n"}]']],
  [
    U('[{"z":[1],"text":"b","type":"text"}]'), 'losses',
    ['user', '  body parts|[{"z":[1],"text":"b","type":"text"}]'],
  ],
  [U('[{"text":"a"}]'), 'lost', ['user', '  body parts|[{"text":"a"}]']],
  // Thinking.
  ['{"role":"assistant","thinking":"t","content":"a"}', '', [
    'assistant analysis', '  body|t', 'assistant final', '  body|a',
  ]],
  ['{"role":"assistant","reasoning":"t\\n"}', 'lost', ['assistant analysis', '  body escaped|t\\n']],
  ['{"role":"assistant","content":"","name":"n","reasoning_content":"t","thinking":null}', 'lost', [
    'assistant analysis', '  name|n', '  body|t', 'assistant final', '  name|n', '  body|',
  ]],
  ['{"role":"assistant","content":"a","thinking":""}', 'losses', ['assistant final', '  body|a']],
  ['{"role":"assistant","reasoning":"","content":""}', 'losses', ['assistant final', '  body|']],
  ['{"role":"user","content":"a","thinking":"t"}', 'losses', ['user', '  body|a']],
  // Calls.
  [`{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function",${CALL}}]}`, 'calls', [
    'assistant commentary call to-tool', '  call_id|c1', '  recipient|f', '  body|{}',
  ]],
  [`{"role":"assistant","content":null,"refusal":null,"tool_calls":[{"id":"c1","type":"function",${CALL}}]}`, 'calls', [
    'assistant commentary call to-tool', '  call_id|c1', '  recipient|f', '  body|{}',
  ]],
  [`{"role":"assistant","content":"p","name":"n","tool_calls":[{${CALL},"id":"c1"}, {"type":null,${CALL},"z":1}]}`,
    'calls no-id losses', ['assistant commentary', '  name|n', '  body|p',
    'assistant commentary call to-tool', '  call_id|c1', '  name|n', '  recipient|f', '  body|{}',
    'assistant commentary call to-tool', '  name|n', '  recipient|f', '  body|{}',
  ]],
  [`{"role":"assistant","content":"","thinking":"t","tool_calls":[{"id":"c",${CALL}}]}`, 'calls lost', [
    'assistant analysis', '  body|t', 'assistant commentary call to-tool', '  call_id|c', '  recipient|f', '  body|{}',
  ]],
  [
    '{"role":"assistant","tool_calls":[{"id":"c","function":{"arguments":"\\"\\\\u0041\\"","name":"f"}}]}',
    'calls lost',
    [
      'assistant commentary call to-tool', '  call_id|c', '  recipient|f', '  body escaped|\\"\\\\u0041\\"',
    ],
  ],
  [`{"role":"assistant","tool_calls":[{"id":"c",${calledWith('{"a":["\\u0041"]}')}}]}`, 'calls values lost', [
    'assistant commentary call to-tool', '  call_id|c', '  recipient|f', '  body escaped coded value|{"a":["\\u0041"]}',
  ]],
  ['{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"f"}}]}', 'calls values lost', [
    'assistant commentary call to-tool', '  call_id|c', '  recipient|f', '  body value absent',
  ]],
  ['{"role":"assistant","tool_calls":[],"content":"a"}', 'lost', ['assistant final', '  body|a']],
  ['{"role":"assistant","tool_calls":null,"content":"a"}', '', ['assistant final', '  body|a']],
  ['{"role":"assistant","function_call":{"name":"f","arguments":"1"}}', 'calls no-id losses', [
    'assistant commentary call to-tool', '  recipient|f', '  body|1',
  ]],
  ['{"role":"assistant","content":"a","tool_calls":null,"function_call":null}', '', ['assistant final', '  body|a']],
  ['{"role":"assistant","content":"a","function_call":null,"tool_calls":null}', '', ['assistant final', '  body|a']],
  [`{"role":"assistant","function_call":null,"tool_calls":[{"id":"c",${CALL}}]}`, 'calls lost', [
    'assistant commentary call to-tool', '  call_id|c', '  recipient|f', '  body|{}',
  ]],
  [`{"role":"assistant","tool_calls":[],"function_call":{"name":"f","arguments":"1"}}`, 'calls no-id losses', [
    'assistant commentary call to-tool', '  recipient|f', '  body|1',
  ]],
  [`{"role":"user","content":"a","tool_calls":[{"type":"function"}]}`, 'losses', ['user', '  body|a']],
  // Turns of ShareGPT.
  [turn('"human"'), '', ['user', '  body|a']],
  [turn('"user"'), 'renamed-1', ['user', '  body|a']],
  [turn('"gpt"'), '', ['assistant final', '  body|a']],
  [turn('"chatgpt"'), 'renamed-1', ['assistant final', '  body|a']],
  [turn('"assistant"'), 'renamed-1', ['assistant final', '  body|a']],
  [turn('"system"'), '', ['system', '  body|a']],
  [turn('"observation"'), 'no-id', ['tool commentary', '  body|a']],
  [turn('"tool"'), 'no-id renamed-1', ['tool commentary', '  body|a']],
  ['{"weight":0,"value":"\\/","from":"human","x":[]}', 'lost-2', ['user', '  body escaped coded|\\/']],
  // What nothing is known of may be deep; arguments less so.
  [`{"role":"user","content":"a","x":${nested(1021)}}`, 'lost', ['user', '  body|a']],
  [`{"role":"assistant","function_call":{"name":"f","arguments":${objects(60)}}}`, 'calls no-id losses values', [
    'assistant commentary call to-tool', '  recipient|f', `  body value|${objects(60)}`,
  ]],
];

/** Entries that make their record slow, though it is a JSON object. */
export const RARE_ENTRIES: string[] = [
  // The marker may stand in what the call gives.
  A(`a\n${CALLED}</think>`),
  'null', '1', '"x"', '[]', nested(1022), '{}', '{"content":"a"}', '{"role":null,"content":"a"}', '{"role":"User"}',
  '{"role":"ipython"}', '{"role":"tool_call"}', '{"role":"tool_call","content":"x"}',
  '{"role":"tool_call","content":"{\\"name\\": \\"f\\", \\"arguments\\": {}}","name":"a"}', '{"role":"\\u0075ser"}',
  '{"role":["user"]}', '{"role":"users"}', '{"role":"use"}', '{"role":"assistantx"}',
  // Twice, or perhaps.
  '{"role":"user","role":"user"}', '{"role":"user","content":"a","content":"a"}', '{"role":"user","cont\\u0065nt":"a"}',
  '{"role":"user","\\n":1}',
  '{"role":"user","name":null,"name":"a"}',
  // No content, but what may be one.
  '{"role":"user","text":"a"}', '{"role":"user","content":null,"tool_calls":null}',
  '{"role":"assistant","content":null,"refusal":"a"}', '{"role":"assistant","refusal":"a","reasoning":"b"}',
  '{"role":"assistant","reasoning":""}',
  `{"role":"assistant","tool_calls":[{${CALL}}],"refusal":"a"}`,
  '{"refusal":"a","role":"assistant","function_call":{"name":"f","arguments":"{}"}}',
  '{"role":"tool","tool_call_id":"a","output":"b"}', '{"role":"assistant","tool_calls":[],"x":1}',
  // Another form.
  '{"role":"user","content":"a","channel":"final"}', '{"role":"user","tool_call":null}',
  // Content.
  U('1'), U('{}'), U('true'), U('"\\ud83d"'), U('"\\ude00\\ud83d"'), U('"\\ud83d\\n\\ude00"'), U('"\\ud83d\\\\ude00"'),
  U('"\\ud83d\\ud83d\\ude00\\ude00"'),
  U('[1]'), U('[null]'), U('[[]]'), U('[{}]'), U('[{"type":"text"}]'), U('[{"txt":"a"}]'),
  U('[{"type":"text","text":null}]'),
  U('[{"type":"tool_use"}]'), U('[{"type":"image_url","text":1}]'),
  U('[{"type":"image-url"}]'), U(`[{"type":"image${'s'.repeat(28)}"}]`), U('[{"type":"text","text":"a","text":"a"}]'),
  U('[{"type":"text","type":"text","text":"a"}]'),
  U('["\\ud83d"]'), U('[{"type":"text","text":"\\udc00"}]'), U('[{"type":"text","text":"a","\\u0061":1}]'),
  // Names and ids.
  '{"role":"user","name":""}', '{"role":"user","name":"a b"}', '{"role":"user","name":"a<"}',
  '{"role":"user","name":"\u4f60"}', '{"role":"user","name":"a\\"b"}',
  '{"role":"user","name":1}', `{"role":"user","name":"${'n'.repeat(101)}"}`, '{"role":"user","name":"\x7f"}',
  '{"role":"user","tool_call_id":7}',
  '{"role":"tool","name":"a=b"}', '{"role":"tool","name":"functions.f"}', '{"role":"tool","name":"browser"}',
  '{"role":"tool","name":"python3"}',
  '{"role":"tool","name":"containers"}', '{"role":"tool","tool_call_id":""}', '{"role":"tool","tool_call_id":"a b"}',
  // Thinking.
  '{"role":"assistant","thinking":"t","reasoning":"t"}', '{"role":"assistant","thinking":["t"]}',
  '{"role":"assistant","reasoning":"\\ud83d"}',
  // Calls.
  '{"role":"assistant","tool_calls":{}}', '{"role":"assistant","tool_calls":""}',
  '{"role":"assistant","tool_calls":[null]}', '{"role":"assistant","tool_calls":[{}]}',
  '{"role":"assistant","tool_calls":[{"id":"c"}]}', '{"role":"assistant","tool_calls":[{"id":"c","function":null}]}',
  '{"role":"assistant","tool_calls":[{"function":{}}]}',
  '{"role":"assistant","tool_calls":[{"function":{"name":null}}]}',
  '{"role":"assistant","tool_calls":[{"function":{"name":"functions.f"}}]}',
  '{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":null}}]}',
  '{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":[]}}]}',
  '{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":1}}]}',
  // Numbers that may be beyond what a double holds.
  ...['1e400', '-1.5E+308', '[1,2e-999 ]', `${'1'.repeat(201)}`, `{"b":[-${'9'.repeat(190)}.0e123]}`].map((value) =>
    `{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":{"a":${value}}}}]}`),
  '{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":"\\ud83d"}}]}',
  '{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":{"a":"\\ud83d"}}}]}',
  '{"role":"assistant","tool_calls":[{"function":{"name":"f","name":"f"}}]}',
  '{"role":"assistant","tool_calls":[{"function":{"name":null,"name":"f"}}]}',
  '{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":"","arguments":""}}]}',
  `{"role":"assistant","tool_calls":[{"type":"other",${CALL}}]}`,
  `{"role":"assistant","tool_calls":[{"id":"","function":{"name":"f"}}]}`,
  `{"role":"assistant","tool_calls":[{"id":"c","id":"c",${CALL}}]}`,
  `{"role":"assistant","tool_calls":[{${CALL},${CALL}}]}`,
  `{"role":"assistant","content":[],"tool_calls":[{${CALL}}]}`, '{"role":"assistant","function_call":"f"}',
  '{"role":"assistant","function_call":{}}',
  `{"role":"assistant","tool_calls":[{${CALL}}],"function_call":{"name":"f"}}`,
  `{"role":"assistant","function_call":{"name":"f"},"tool_calls":[{${CALL}}]}`,
  `{"role":"assistant","tool_calls":[${Array<string>(257).fill(`{${CALL}}`).join()}]}`,
  `{"role":"assistant","function_call":{"name":"f","arguments":${objects(61)}}}`,
  // What is written as text.
  A('<tool_call>'), A('<tool_call>{}</tool_call>'), A('<tool_call>{"name": "f"}</tool_call>'), A(`${CALLED} more`),
  A('<tool_call>{"name": "f", "arguments": []}</tool_call>'), A('<tool_call>{"name": "f", "arguments": {}}'),
  A('<tool_call>{"name": "f", "name": "f", "arguments": {}}</tool_call>'),
  A('<tool_call>{"name": "functions.f", "arguments": {}}</tool_call>'),
  A('<tool_call>{"n\\u0061me": "f", "arguments": {}}</tool_call>'),
  A(`<tool_call>{"name": "f", "arguments": ${objects(61)}}</tool_call>`), A(`${CALLED}\n`.repeat(257)),
  `{"role":"assistant","content":${Q(CALLED)},"tool_calls":[{${CALL}}]}`,
  `{"role":"assistant","content":[{"type":"text","text":${Q(CALLED)}}]}`,
  T('<tool_response>{"name": "a b", "content": 1}</tool_response>'),
  T('<tool_response>{"name": 1, "content": 1}</tool_response>'),
  T(`<tool_response>{"a": ${nested(61)}}</tool_response>`), T('<tool_response>a</tool_response>'.repeat(257)),
  `${S('<tools>{}</tools>')},${S('<tools>{}</tools>')}`, S('<tools>{}</tools><tools>[]</tools>'),
  S('<tools>{}</tools>').replace('</', '<\\/'),
  S(`${'<tools></tools>'.repeat(61)}<tools>{}</tools>`),
  // Turns of ShareGPT.
  turn('"developer"'), turn('"function"'), turn('"function_call"'), turn('"bot"'), turn('"human_1"'), turn('"Human"'),
  turn('1'), turn('null'), turn('"\\u0068uman"'), turn('"human"', 'null'), turn('"human"', '1'), turn('"human"', '[]'),
  turn('"human"', '["a"]'), turn('"human"', '"\\ud83d"'), '{"from":"human"}', '{"value":"a"}',
  '{"from":"human","content":"a"}', '{"from":"human","value":"a","role":"user"}',
  '{"from":"human","value":"a","value":"a"}', '{"from":"human","value":"a","name":null}',
  '{"role":"user","content":"a","value":"a"}', '{"role":"user","value":"a","content":"a"}',
  '{"role":"user","content":"a","from":"human"}',
  // Definitions may stand in what opens the record.
  '{"role":"system","content":"{\\"name\\":1}"}', '{"role":"system","content":"\\u007b"}',
  '{"role":"developer","content":"\\\\u006e"}',
  '{"role":"system","content":["{\\"name\\":1}"]}',
];

const list = (length: number): string => `["${'x'.repeat(length - 4)}"]`;
/** A list of definitions, 150 bytes long. */
const PARAMETERS = '{"type":"object","properties":{"city":{"type":"string"}}}';
const TOOL = `{"type":"function","function":{"name":"get_weather","description":"Where?","parameters":${PARAMETERS}}}`;

const withTools = (values: readonly string[]): [lines: string, rows: string[]] => [
  values.map((tools) => `{"messages":[],"tools":${tools}}\n`).join(''),
  values.flatMap((tools, i) => [`record ${i} line ${i}`, `  tools ask|${tools}`]),
];

/** Lines, and all their rows. */
export const LINES: [lines: string, rows: string[]][] = [
  ['', []],
  [' \t\r\n\n', []],
  ['{"messages":[]}\n', ['record 0 line 0']],
  [' { "messages" : [ ] } \r\n', ['record 0 line 0']],
  // What ids are, and what stands in them.
  ['{"id":"a","messages":[],"x":{"messages":1,"id":2}}\n', ['record 0 line 0 lost', '  id|"a"']],
  ['{"messages":[],"id" : "\\n\\u0041\\ud83d"}\n', ['record 0 line 0', '  id escaped coded lone|"\\n\\u0041\\ud83d"']],
  ['{"messages":[],"id":null,"tools":[]}\n{"id":{"a":["\\"",-1]},"messages":[]}\n', [
    'record 0 line 0 losses', '  tools none|[]', '  id|null', 'record 1 line 1', '  id escaped|{"a":["\\"",-1]}',
  ]],
  ['{"id":1,"messages":[],"id":1}\n{"id":1,"messages":[1]}\n', [
    'record 0 line 0 slow object', 'record 1 line 1 slow object',
  ]],
  // Both lists; a text of the system, which is a message of its own.
  ['{"messages":[],"conversations":[]}\n{"messages":[],"system":null}\n{"conversations":{}}\n', [
    'record 0 line 0 slow object', 'record 1 line 1', 'record 2 line 2 slow object',
  ]],
  ['{"system":"a","messages":[]}\n{"messages":[],"system":"a"}\n{"system":[],"messages":[]}\n', [
    'record 0 line 0 losses elsewhere', '  system', '    body|a',
    'record 1 line 1 slow object', 'record 2 line 2 slow object',
  ]],
  [`{"system":"a","messages":[{"role":"system","content":"b"}]}\n{"system":"a","conversations":[${turn('"system"')}]}\n`,
    ['record 0 line 0 slow object', 'record 1 line 1 losses elsewhere', '  system', '    body|a', '  system',
      '    body|a']],
  // Blocks as Anthropic has them.
  ['{"messages":[{"role":"assistant","content":[{"type":"thinking","thinking":"t"},{"type":"text","text":"a"},'
    + '{"type":"tool_use","id":"c","name":"f","input":{"x":1}}]}]}\n', [
    'record 0 line 0 calls parts losses values elsewhere', '  assistant analysis', '    body|t',
    '  assistant commentary', '    body|a', '  assistant commentary call to-tool', '    call_id|c', '    recipient|f',
    '    body value|{"x":1}',
  ]],
  ['{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":[{"type":"text",'
    + '"text":"r"}]},{"type":"text","text":"a"},{"type":"image"}]}]}\n', [
    'record 0 line 0 parts losses elsewhere', '  tool commentary', '    call_id|c', '    body|r', '  user',
    '    body parts|{"type":"text","text":"a"},{"type":"image"}',
  ]],
  ...[
    '"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{}},{"type":"text","text":"a"}]',
    '"assistant","content":[{"type":"text","text":"a"},{"type":"thinking","thinking":"t"}]',
    '"assistant","content":[{"type":"thinking","thinking":""}]', '"assistant","content":[{"type":"redacted_thinking"}]',
    '"assistant","name":"n","content":[{"type":"thinking","thinking":"t"}]',
    '"assistant","content":[{"type":"tool_use","id":"c","name":"f"}]', '"user","content":[{"type":"tool_use"}]',
    '"user","content":[{"type":"tool_result","content":[{"type":"tool_result"}]}]',
  ].map((rare): [string, string[]] => [`{"messages":[{"role":${rare}}]}\n`, ['record 0 line 0 slow object']]),
  // Items of Responses. What leads to a call is a preamble.
  ['{"instructions":"s","input":[{"role":"user","content":"a"},{"type":"reasoning","summary":[{"type":"summary_text",'
    + '"text":"t"}]},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"b"}]},{"type":'
    + '"function_call","call_id":"c","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"c",'
    + '"output":"r"}],"output":[{"role":"assistant","content":"d"}]}\n', [
    'record 0 line 0 calls parts losses elsewhere', '  system', '    body|s', '  user', '    body|a',
    '  assistant analysis', '    body|t', '  assistant commentary', '    body|b', '  assistant commentary call to-tool',
    '    call_id|c', '    recipient|f', '    body|{}', '  tool commentary', '    call_id|c', '    body|r',
    '  assistant final', '    body|d',
  ]],
  ...[
    '"input":[{"role":"user","content":"a"}],"instructions":"s"', '"output":[],"input":[]', '"input":[]',
    '"input":"a","output":[{"role":"assistant","content":"b"}]', '"input":[{"role":"user","content":"a"}],"text":{}',
    '"input":[{"type":"web_search_call"}]', '"input":[{"role":"assistant","content":"a","phase":"commentary"}]',
  ].map((rare): [string, string[]] => [`{${rare}}\n`, ['record 0 line 0 slow object']]),
  // A prompt and its completion that are texts: two messages, but where a token may stand in them.
  ['{"prompt":"What?","completion":"\\u4f60 [x] a-b\\n-"}\n{"completion":"","system":"s","prompt":"version: 2"}\n', [
    'record 0 line 0 elsewhere', '  user', '    body|What?', '  assistant final',
    '    body escaped coded|\\u4f60 [x] a-b\\n-',
    'record 1 line 1 elsewhere', '  system', '    body|s', '  user', '    body|version: 2',
    '  assistant final', '    body|',
  ]],
  ...[['', '<s>'], ['# a <', '<b>|'], ['---', '[EOS]'], ['a <', ' |start|>'], ['\ufeffa', 'version: 2.2']].map(
    ([prompt, completion]): [string, string[]] => [`{"prompt":"${prompt}","completion":"${completion}"}\n`, [
      'record 0 line 0 elsewhere', '  user', `    body|${prompt}`, '  assistant final',
      `    body|${completion}`,
    ]],
  ),
  ...[
    ['a <|', 'b'], ['a', '<|end|>'], ['a <', '|start|>'], ['a \\u003c', 'b'], ['a', '\\u007C'], ['a', '\\ud83d'],
    ['\\u00e9 <', '|start|>'], ['a', '<tool_call>'], ['<tool_response>', 'b'],
  ].map(([prompt, completion]): [string, string[]] => [
    `{"prompt":"${prompt}","completion":"${completion}"}\n`, ['record 0 line 0 slow object'],
  ]),
  // A prompt with its completion; preferences, of which each side is a transcript behind the prompt.
  [`{"completion":[${U('"b"')}],"prompt":[${U('"a"')}]}\n{"prompt":[],"completion":[],"chosen":1}\n`, [
    'record 0 line 0 elsewhere', '  user', '    body|a', '  user', '    body|b',
    'record 1 line 1 losses elsewhere',
  ]],
  [`{"rejected":[],"chosen":[${U('"b"')}],"system":"s","prompt":[${U('"a"')}]}\n`, [
    'record 0 line 0 losses elsewhere sides', '  system', '    body|s', '  user', '    body|a', '  user',
    '    body|b', '  side system', '    body|s', '  user', '    body|a',
  ]],
  [`{"prompt":"a","chosen":[${turn('"human"')}],"rejected":[${U('"b"')}]}\n`, [
    'record 0 line 0 losses elsewhere sides', '  user', '    body|a', '  side user', '    body|b',
  ]],
  ['{"chosen":"a","rejected":"\\n\\nHuman: b"}\n', [
    'record 0 line 0 lost-2 elsewhere sides', '  assistant final', '    body|a', '  side assistant final',
    '    body escaped|\\n\\nHuman: b',
  ]],
  ['{"rejected":"\\n\\nHuman:",'
    + '"chosen":"\\n\\nHuman: a\\\\n\\nHuman: \\n\\nAssistant:b\\n\\n\\nHuman:  c"}\n', [
    'record 0 line 0 lost-2 elsewhere sides', '  user', '    body escaped|a\\\\n\\nHuman: ',
    '  assistant final', '    body escaped|b\\n', '  user', '    body| c', '  side user', '    body|',
  ]],
  ['{"prompt":"a","chosen":"b","rejected":"","completion":null}\n'
    + '{"prompt":"\\u00e9","chosen":"<","rejected":"\\n"}\n', [
    'record 0 line 0 lost-3 elsewhere sides', '  user', '    body|a', '  assistant final', '    body|b',
    '  side user', '    body|a', '  assistant final', '    body|',
    'record 1 line 1 lost-3 elsewhere sides', '  user', '    body escaped coded|\\u00e9', '  assistant final',
    '    body|<', '  side user', '    body escaped coded|\\u00e9', '  assistant final', '    body escaped|\\n',
  ]],
  ...[
    '"chosen":[],"rejected":[]', `"chosen":[${U('"a"')}],"rejected":[]`, '"prompt":"a","chosen":"<|","rejected":"b"',
    '"prompt":"\\u003C|","chosen":"a","rejected":"b"', '"prompt":"a","chosen":"b","rejected":"c","rejected":"c"',
    `"chosen":[{"role":"developer"}],"rejected":[${U('"a"')}]`, '"prompt":[1],"completion":[]',
    `"system":"s","prompt":[{"role":"system","content":"a"}],"completion":[]`,
    ...['stark x', 'start', 'im_start>', 'messages|>', 'fim_pad|>', 'file_sep|>'].map((word) =>
      `"prompt":"a <|${word}","completion":"b"`,
    ),
    '"prompt":"\\ud83d","chosen":"b","rejected":"c"', '"chosen":"a","rejected":"\\u000a"',
    '"chosen":"\\n\\nHuman: a","rejected":"\\n\\nHuman: <tool_response>"', `"input":[${U('"a"')}],"chosen":[]`,
  ].map((rare): [string, string[]] => [`{${rare}}\n`, ['record 0 line 0 slow object']]),
  ...[
    '"prompt":[],"completion":"b"',
    '"prompt":[],"chosen":"a","rejected":"b"', '"prompt":"a","chosen":"b","rejected":[]', '"prompt":"a"',
    '"text":"a","prompt":[],"completion":[]', '"instruction":"a","output":"b","prompt":null',
  ].map((other): [string, string[]] => [`{${other}}\n`, ['record 0 line 0 slow object other']]),
  // Preferences with a question of another name, or behind a list of messages.
  ...[
    '"question":"a","chosen":"b","rejected":"c"', '"chosen":"b","rejected":"c","query":1',
    '"instruction":"a","chosen":"b","rejected":"c"', '"input":"a","chosen":"b","rejected":"c"',
    `"prompt":"a","chosen":[${A('"b"')}],"rejected":[${A('"c"')}]`,
    `"problem":"a","chosen":[{"content":"b","role":"assistant"}],"rejected":[${A('"c"')}]`,
    `"messages":[${U('"a"')}],"chosen":${A('"b"')},"rejected":${A('"c"')}`,
    `"chosen":[{"from":"gpt"}],"rejected":[],"conversations":[]`,
  ].map((rare): [string, string[]] => [`{${rare}}\n`, ['record 0 line 0 slow object']]),
  [`{"chosen":[${U('"b"')}],"rejected":"c","messages":[${U('"a"')}]}\n`, [
    'record 0 line 0 losses', '  user', '    body|a',
  ]],
  // Turns by themselves: such as say nothing but a text.
  [`${U('"a"')}\n{ "role" : "assistant" , "content" : "\\n" }\n`, [
    'record 0 line 0', '  user', '    body|a', 'record 1 line 1', '  assistant final', '    body escaped|\\n',
  ]],
  ['{"role":"system","content":"\\n"}\n{"role":"developer","content":""}\n', [
    'record 0 line 0', '  system', '    body escaped|\\n',
    'record 1 line 1 developer', '  developer', '    body|',
  ]],
  [`${U('"a"').slice(0, -1)},"messages":[${U('"b"')}]}\n`, ['record 0 line 0 lost-2', '  user', '    body|b']],
  ...[
    '"role":"tool","content":"a"', '"role":"function","content":"a"', '"role":"human","content":"a"', '"role":"user"',
    '"role":"user","content":null', '"role":"user","content":[{"type":"text","text":"a"}]',
    '"content":"a","role":"user"',
    '"role":"user","content":"a","name":"b"', '"role":"assistant","content":"a","channel":"final"',
    '"role":"user","content":"a","role":"user"', '"role":"user","content":"\\ud83d"', '"role":1,"content":"a"',
    '"role":"user","content":"<tool_response>"', '"role":"assistant","content":"<tool_call>"',
    '"role":"assistant","content":"a","thinking":"b"', '"role":"user","content":"a","x":1',
  ].map((other): [string, string[]] => [`{${other}}\n`, ['record 0 line 0 slow object other']]),
  // Instructions.
  ['{"instruction":"a","input":"","output":"b"}\n{"instruction":"a","input":"c","output":"b","system":"s"}\n', [
    'record 0 line 0 elsewhere', '  user', '    body|a', '  assistant final', '    body|b',
    'record 1 line 1 elsewhere', '  system', '    body|s', '  user', '    body parts|a","input":"c',
    '  assistant final', '    body|b',
  ]],
  // Questions and answers.
  ['{"question":"a","answer":"b"}\n{"response":"\\u00e9","query":"a","id":1,"type":"x"}\n', [
    'record 0 line 0 elsewhere', '  user', '    body|a', '  assistant final', '    body|b',
    'record 1 line 1 lost elsewhere', '  id|1', '  user', '    body|a', '  assistant final',
    '    body escaped coded|\\u00e9',
  ]],
  ['{"system_prompt":"s","prompt":"a","response":"b"}\n{"answer":"4","solution":"b","problem":"a","system":""}\n', [
    'record 0 line 0 elsewhere', '  system', '    body|s', '  user', '    body|a', '  assistant final', '    body|b',
    'record 1 line 1 lost elsewhere', '  user', '    body|a', '  assistant final', '    body|b',
  ]],
  ['{"question":"a","answer":"b","options":["c"],"metadata":{}}\n', [
    'record 0 line 0 lost-2 elsewhere', '  user', '    body|a', '  assistant final', '    body|b',
  ]],
  [`{"messages":[${U('"a"')}],"question":"b","answer":1,"response":null}\n`, [
    'record 0 line 0 lost-2', '  user', '    body|a',
  ]],
  ...[
    '"question":"a","answer":"b","question":"c"', '"question":"a","answer":"b","query":"c"',
    '"prompt":"a <|im_start|>","response":"b"', '"question":"<tool_response>","answer":"b"',
    '"question":"a","answer":"b","qu\\u0065stion":"c"', '"question":"a","answer":"b","messages":"c"',
  ].map((rare): [string, string[]] => [`{${rare}}\n`, ['record 0 line 0 slow object']]),
  ...[
    '"question":"a","answer":1', '"question":"a","answer":"b","response":"c"', '"problem":"a","answer":"b"',
    '"prompt":"a","answer":"b"', '"prompt":"a","question":"b","response":"c"',
    '"question":"a","answer":"b","choices":[]',
    '"question":"a","answer":"b","body":{}', '"question":"a","answer":"b","role":"user"',
    '"question":"a","answer":"b","conversation":"c"', '"question":"a","answer":"b","system_prompt":3',
    '"question":"a","answer":"b","text":"<|im_start|>x"',
    '"question":"a","answer":"b","system":"s","system_prompt":"t"', '"question":"a","answer":"b","history":null',
    '"instruction":"a","response":"b"', '"input":"a","question":"b","answer":"c"', '"prompt":[],"response":"b"',
  ].map((other): [string, string[]] => [`{${other}}\n`, ['record 0 line 0 slow object other']]),
  // A text beside them that may be a copy of them.
  ...['"instruction":"a","output":"b","text":"c"', '"text":"c < | \\n\\u00e9","completion":"b","prompt":"a"'].map(
    (copied): [string, string[]] => [`{${copied}}\n`, [
      'record 0 line 0 lost elsewhere', '  user', '    body|a', '  assistant final', '    body|b',
    ]],
  ),
  ['{"instruction":"a","output":"b","text":"\\u003c|"}\n', ['record 0 line 0 slow object']],
  ['{"text":"\\u003c|","instruction":"a","text":"<|start|>","output":"b"}\n', ['record 0 line 0 slow object other']],
  ...['"instruction":"a","output":3', '"instruction":"a","output":"b","history":[[]]',
    '"instruction":"a","output":"b","text":"<|end|>"', '"instruction":"a","output":3,"text":"c"',
    '"prompt":"a","completion":"b","text":"<|a"', '"input":"a","output":"b"',
  ].map((other): [string, string[]] => [`{${other}}\n`, ['record 0 line 0 slow object other']]),
  [`{"conversations":[${turn('"human"')},${turn('"gpt"')}],"messages2":1}\n`, [
    'record 0 line 0 lost', '  user', '    body|a', '  assistant final', '    body|a',
  ]],
  [`{"messages":[${turn('"gpt"')}]}\n{"conversations":[${U('"a"')}]}\n`, [
    'record 0 line 0', '  assistant final', '    body|a', 'record 1 line 1', '  user', '    body|a',
  ]],
  // Calls that stand by themselves, and replies or calls in texts.
  [
    `{"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"c",${CALL}}]},${
      T('<tool_response>a</tool_response>')}]}\n`,
    ['record 0 line 0 slow object'],
  ],
  // One form in a record.
  [`{"messages":[${turn('"human"')},${U('"a"')}]}\n{"messages":[${U('"a"')},${turn('"human"')}]}\n`, [
    'record 0 line 0 slow object', 'record 1 line 1 slow object',
  ]],
  [`{"messages":[${U('"a"')},${U('"b"')}]}\n \n{"messages":[{"role":"tool"}]}\n`, [
    'record 0 line 0', '  user', '    body|a', '  user', '    body|b',
    'record 1 line 2 no-id', '  tool commentary', '    body absent',
  ]],
  // What no reader takes for a record of this form.
  ['{"messages":[]}\n{}\n[]\n1\nx\n{"text":"a"}\n{"messages":1}\n{"messages":[],"version":1}\n', [
    'record 0 line 0', 'record 1 line 1 slow object', 'record 2 line 2 slow', 'record 3 line 3 slow',
    'record 4 line 4 slow', 'record 5 line 5 slow object other', 'record 6 line 6 slow object',
    'record 7 line 7 slow object',
  ]],
  ['{"m\\u0065ssages":[]}\n', ['record 0 line 0 slow object other']],
  ['{"messages":[],"messages":[]}\n', ['record 0 line 0 slow object']],
  ['{"messages":[],"\\u0061":1}\n', ['record 0 line 0 slow object']],
  // No JSON; what was read before leaves nothing.
  ['{"tools":[1],"messages":[]\n', ['record 0 line 0 slow']],
  ['{"tools":[1],"messages":[{}]}\n', ['record 0 line 0 slow object']],
  ['{"messages":[]} x\n', ['record 0 line 0 slow']],
  ['{"messages":[]}}\n{"messages":[],}\n', ['record 0 line 0 slow', 'record 1 line 1 slow']],
  ['\ufeff{"messages":[]}\n', ['record 0 line 0 slow']],
  ['{"messages":[{"role":"user","content":"\xff"}]}\n', ['record 0 line 0 slow']],
  ['{"x":"\xff","messages":[]}\n{"x":"\xc3\xa9","messages":[]}\n', [
    'record 0 line 0 slow', 'record 1 line 1 lost',
  ]],
  // As deep as may be, and one more.
  [`{"messages":[],"x":${nested(1023)}}\n`, ['record 0 line 0 lost']],
  [`{"messages":[],"x":${nested(1024)}}\n`, ['record 0 line 0 slow']],
  [`{"messages":[],"tools":${nested(1023)}}\n`, ['record 0 line 0', `  tools ask|${nested(1023)}`]],
  [`{"messages":${nested(1024)}}\n`, ['record 0 line 0 slow']],
  // Tools.
  ['{"messages":[],"tools":null}\n', ['record 0 line 0', '  tools none|null']],
  ['{"messages":[],"tools":""}\n', ['record 0 line 0 losses', '  tools none|""']],
  ['{"tools":[ \t],"messages":[]}\n', ['record 0 line 0 losses', '  tools none|[ \t]']],
  ['{"tools":"[]","messages":[]}\n', ['record 0 line 0', '  tools ask|"[]"']],
  ['{"tools":{},"messages":[]}\n', ['record 0 line 0', '  tools ask|{}']],
  ['{"tools":12,"messages":[]}\n', ['record 0 line 0', '  tools ask|12']],
  [`{"tools":[${TOOL}],"messages":[]}\n`, ['record 0 line 0', `  tools flat|[${TOOL}]`]],
  [`{"tools":[${TOOL},${TOOL}],"messages":[]}\n`, ['record 0 line 0', `  tools ask|[${TOOL},${TOOL}]`]],
  ['{"tools":[],"tools":[],"messages":[]}\n', ['record 0 line 0 slow object']],
  // A list that was met before is known again; one that goes on is another.
  withTools([list(128), list(128), list(129), list(128)]),
  withTools(['1'.repeat(128), '1'.repeat(129)]),
];
