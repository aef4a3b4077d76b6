// The rulings of this project: how it reads the documents where they contradict each other or are silent. Docstrings
// and the table of rules cite them by name; RULINGS.md is the same table for readers.

/** What each ruling says, in short. */
export const RULINGS = {
  'R-TOTAL': 'Reading never throws on data, whatever the bytes are. Only a wrong call throws.',
  'R-TILE': 'Every byte of an input lies in exactly one piece; all pieces, one after the other, are the input.',
  'R-SPLIT': 'The same bytes give the same result, however they are cut.',
  'R-DIAG':
    'What is wrong with data is collected: a rule, a severity, a span in bytes, and one of the eight codes of 2.2 '
    + '§14 or none. What only a declared version requires is an error when the version was declared, and a warning '
    + 'when it was detected.',
  'R-1X': 'Text of version 1.x is read with the tokens of 2.2. A message without a channel is final there.',
  'R-DETECT':
    'Without a given dialect the version in the document header decides, and without a header the first control '
    + 'token: one of 0.1 means 0.1, any other 2.2.',
  'R-TEXT': 'A token that a dialect does not list is ordinary text in it.',
  'R-HEADER-END':
    'A document header ends at a closing `---` or `...` line, at a control token at the beginning of a line, or '
    + 'at `<|start|>` directly followed by a letter. A `<|start|>` in a quoted value does not end it.',
  'R-CONCAT':
    'A file may hold any number of transcripts: a document header begins one; in 0.1 BOS and EOS bound them; in '
    + 'Harmony a system message after another message begins one.',
  'R-VERSION': 'Versions are text: 2.10 is not 2.1.',
  'R-HEADER-YAML':
    'Unknown keys of a document header are kept. Bad YAML, a missing version, a duplicate key or too large a '
    + 'header is an error, and the messages are still read. Aliases, tags and complex keys are refused.',
  'R-NO-HEADER': 'A declared 2.x transcript without a document header is an error; a detected one is a warning.',
  'R-UTF16': 'Input that looks like UTF-16 or UTF-32 is reported, and read as the bytes that it is.',
  'R-ATTR':
    'Attributes follow the role in any order. A value ends at white space or at a control token. White space is '
    + 'space, tab, CR and LF only; names are case-sensitive. A message whose header is longer than the 64 KiB that are '
    + 'read of it is never shown or dispatched.',
  'R-ATTR-DUP':
    'An attribute that stands twice with two values makes the message ambiguous: it is never dispatched, or never '
    + 'shown. An empty value is read as absent.',
  'R-ATTR-UNKNOWN': 'Unknown attributes are kept with the message.',
  'R-ROLE':
    'The first word that is no attribute is the role. `functions.x` is the tool of that name; any other unknown '
    + 'word is an error and stays as it is.',
  'R-STRAY-WORD':
    'Another bare word in a header is an error. Where it is a channel\'s name and no channel field follows, it is '
    + 'the channel, so that thoughts are not shown. So is `analysis` or `commentary` at the end of such a word.',
  'R-CHANNEL':
    'Without a channel a message is final. Of two channel fields the last one counts. An unknown channel is never '
    + 'shown.',
  'R-CHANNEL-MISSING':
    'Where the Harmony profile or the caller requires channels, a message without one is an error, and is hidden '
    + 'unless the caller opts in.',
  'R-CTYPE':
    'The content type stands in the constrain field, in `content_type=`, or as the last bare word after the '
    + 'channel; the first of these that is there counts.',
  'R-IMPLIED-START':
    '`<|channel|>` or `<|message|>` between messages opens a message without a start token: a completion at the '
    + 'start of the input, an error later.',
  'R-MISSING-MESSAGE':
    'A message whose header is not ended by `<|message|>` is kept: known words in front are its header, the rest '
    + 'is its body.',
  'R-OPEN-TURN':
    'A role and the end of the input is a prompt that waits for its completion. It is no error, and it is not '
    + 'shown.',
  'R-END':
    '`<|end|>`, `<|call|>` and `<|return|>` end a body. Further terminators behind them belong to the same '
    + 'message.',
  'R-UNCLOSED':
    'A start token in a body ends it, with an error. Other header tokens in a body are text, with a finding.',
  'R-ESCAPE': 'In 2.2 one more `<` before a control token makes it text.',
  'R-LITERAL': 'In 2.2 everything between `<|literal|>` and `<|endliteral|>` in a body is text.',
  'R-TAIL':
    'A writer puts `<` at the end of a body into a literal block, so that every string reads back as it was.',
  'R-REFUSE':
    'A writer escapes what the dialect can escape. What would become a control token where there is no escape is '
    + 'refused, or broken up when that is asked for.',
  'R-TRIM': 'A body keeps its white space. In 0.1 one newline before `<|im_end|>` is not part of it.',
  'R-GAP': 'White space between messages means nothing. Other text there is a warning.',
  'R-UTF8': 'Invalid UTF-8 is a warning, and an error in a header; what is read has U+FFFD in its place.',
  'R-CONSTRAINT':
    'A body of the declared type json is checked when it is asked for. A type that is only a hint gives a '
    + 'warning.',
  'R-FIM':
    'Files and fill-in-the-middle tasks of 0.1 stand outside of messages. They are read and written as data.',
  'R-BUILTIN': '`browser`, `python`, `container`, and what the header lists, are tools without a definition.',
  'R-CALL':
    'A message of an assistant to a tool is a call. In 2.2 calls have ids, and replies repeat an id that is open.',
  'R-TOOLS':
    'Definitions of tools are read from every place where the documents put them, and become JSON Schema, by '
    + 'which arguments are checked.',
  'R-VISIBLE':
    'An end user sees what user and assistant say to nobody else on final, unless its intent is debug, and '
    + 'preambles on commentary. Everything else is hidden.',
  'R-COT':
    'Markers of reasoning divide an analysis into thoughts. In a body that is shown they are an error, and what '
    + 'they bound is cut from what is shown.',
  'R-THINK':
    '`<think>` at the beginning of what an assistant says begins reasoning that is written as text; a `</think>` that '
    + 'nothing began ends reasoning that began in the prompt. Both are cut from what is shown.',
  'R-HERMES':
    'In 0.1 and in chat records `<tool_call>`, `<tool_response>` and `<tools>` around JSON are calls, replies and '
    + 'definitions.',
  'R-LIKELY':
    'Text without a header that looks like Harmony is reported once, in place of what Harmony does not have.',
  'R-SAMPLING':
    'The next completion does not see the reasoning of turns that have ended in an answer. `<|return|>` becomes '
    + '`<|end|>`.',
  'R-STREAM':
    'A delta never cuts a character and never holds what may still become a control token. Nothing is held back '
    + 'longer than that.',
  'R-STOP':
    'After a message that ends in `<|call|>` an output may hold further calls only; a turn neither shows nor '
    + 'keeps what else follows.',
  'R-LEAK':
    'A `<|channel|>analysis` or `<|channel|>commentary` in an answer ends what is shown of it, with an error.',
  'R-RESCUE':
    'An option prefers a likely message to an exact one, for what models and servers get wrong. What it changes '
    + 'is reported all the same.',
  'R-REPLY-01': 'A reply in 0.1 is an object with name and content.',
  'R-JSON':
    'Both JSON interchange forms are read and written. What text cannot represent is refused, and nothing is '
    + 'invented.',
  'R-HIP1': 'Writing Harmony leaves out what Harmony has no place for, and reports each loss.',
  'R-END-WRITE': 'A writer ends the last answer in `<|end|>` for a prompt, and in `<|return|>` for training.',
  'R-CONFORM': 'What a document asks of writers, and what changes nothing in reading, is a warning.',
} as const;

export type RulingName = keyof typeof RULINGS;
