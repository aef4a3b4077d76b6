// Numbers shared by the host (src/) and the scanner (assembly/): the one place where the layout is named.
// Only `export const NAME = integer` may stand here, so that both compilers read it.

// -- A row of the offset table: four 32-bit words, in document order, parents before children.
export const KIND = 0;
export const FROM = 1;
export const TO = 2;
export const NEXT = 3;
export const ROW_WORDS = 4;
export const ROW_BYTES = 16;

// -- Node kinds: KIND & KIND_MASK.
export const KIND_MASK = 0xff;
export const MESSAGE = 1;
export const FIELD = 2;
export const BODY = 3;
export const MARK = 4;
export const LITERAL = 5;
export const ESCAPE = 6;
export const STRAY = 7;
export const TRAILING = 8;
export const HEADER = 9;
export const TEXT = 10;
export const BOUND = 11;
export const FILE = 12;

// -- Token ids: (KIND >>> TOKEN_SHIFT) & TOKEN_MASK.
export const TOKEN_SHIFT = 8;
export const TOKEN_MASK = 0x1f;
export const START = 1;
export const CHANNEL = 2;
export const MESSAGE_TOKEN = 3;
export const CALL = 4;
export const CONSTRAIN = 5;
export const RETURN = 6;
export const END = 7;
export const LITERAL_TOKEN = 8;
export const ENDLITERAL = 9;
export const IM_START = 10;
export const IM_END = 11;
export const FIM_PREFIX = 12;
export const FIM_MIDDLE = 13;
export const FIM_SUFFIX = 14;
export const FILE_SEPARATOR = 15;
export const REFLECT = 16;
export const INTROSPECT = 17;
export const REASON = 18;
export const START_REFLECT = 19;
export const END_REFLECT = 20;
export const START_INTROSPECT = 21;
export const END_INTROSPECT = 22;
export const START_REASON = 23;
export const END_REASON = 24;
export const FUNCTION_LIST = 25;
export const FUNCTION_CALL = 26;
export const FUNCTION_OUTPUT = 27;
export const BOS = 28;
export const EOS = 29;
export const BRACKET_BOS = 30;
export const BRACKET_EOS = 31;

// -- What a MESSAGE row's KIND says beside kind and terminator. The three ids below are exact when PLAIN is set.
export const ROLE_SHIFT = 16;
export const ROLE_MASK = 0x7;
export const SYSTEM = 1;
export const DEVELOPER = 2;
export const USER = 3;
export const ASSISTANT = 4;
export const TOOL = 5;
export const CHANNEL_SHIFT = 19;
export const CHANNEL_MASK = 0x3;
export const ANALYSIS = 1;
export const COMMENTARY = 2;
export const FINAL = 3;
export const RECIPIENT_SHIFT = 21;
export const RECIPIENT_MASK = 0x3;
export const TO_PERSON = 1;
export const TO_TOOL = 2;
// A message of which a server has stripped the control tokens. Only the host makes such rows (R-RESCUE).
export const STRIPPED = 0x00800000;
// The header is made of nothing but known words, each once: role, channel and recipient need no second reading.
export const PLAIN = 0x01000000;
// A longer field is never PLAIN, so that a scanner may keep a field until it is whole.
export const PLAIN_BYTES = 256;
// The message was opened by <|channel|> or <|message|> in a gap, without a start token.
export const IMPLIED = 0x02000000;
// The message was opened by the caller's role at the start of the input.
export const BY_ROLE = 0x04000000;
// No <|message|> (in line dialects: no newline) stands between header and body.
export const NO_BODY_TOKEN = 0x08000000;
// The body was closed by the next start token.
export const IMPLICIT_END = 0x10000000;
// The input ended in the message.
export const EOF_END = 0x20000000;

// HEADER row, or an IMPLIED message: only a byte order mark and white space stand before it in the input.
export const AT_START = 0x40000000;
// LITERAL row: the input ended before <|endliteral|>.
export const UNTERMINATED = 0x01000000;

// -- Token classes of a dialect: all that the frame machine knows of a token.
export const CLASS_OPEN = 1;
export const CLASS_NAME = 2;
export const CLASS_TEXT = 3;
export const CLASS_CLOSE = 4;
export const CLASS_RAW = 5;
export const CLASS_RAW_END = 6;
export const CLASS_INNER = 7;
export const CLASS_FILE = 8;
export const CLASS_NONE = 9;

// -- A dialect in scanner memory: flags, role bits, 64 bucket heads, then entries (index 0 is "none").
export const DIALECT_FLAGS = 0;
export const DIALECT_ROLES = 4;
export const DIALECT_HEADS = 16;
export const DIALECT_ENTRIES = 80;
export const DIALECT_BYTES = 2048;
// Bucket of a token: (first four bytes after `<|` as a little-endian u32 * BUCKET_FACTOR mod 2^32) >>> BUCKET_SHIFT.
export const BUCKET_FACTOR = 0x9e3779b1;
export const BUCKET_SHIFT = 26;
// An entry: the bytes after `<|` as two masked u64, the whole length, KIND word (class | id << 8 | flags), next in
// bucket.
export const ENTRY_LOW = 0;
export const ENTRY_LOW_MASK = 8;
export const ENTRY_HIGH = 16;
export const ENTRY_HIGH_MASK = 24;
export const ENTRY_LENGTH = 32;
export const ENTRY_WORD = 36;
export const ENTRY_NEXT = 40;
export const ENTRY_BYTES = 48;
// Entry flag: the token ends a document header when it stands at the beginning of a line.
export const ENDS_HEADER = 0x10000;
// Entry flag: in a gap the token opens a message whose start token is missing.
export const OPENS_IMPLIED = 0x20000;

// Bit 0 of a dialect's roles: `functions.<name>` is a role, and reads as tool.
export const ROLES_FUNCTIONS = 1;

// -- Dialect flags.
export const HAS_ESCAPE = 1;
export const HAS_HEADERS = 2;
export const HAS_LINE = 4;
// The scan stops after each document header, so that the host can choose another dialect.
export const STOPS_AT_HEADER = 8;

// -- How a scan begins.
export const AT_INPUT = 0;
export const AT_ROLE = 1;
export const IN_GAP = 2;

// -- What scan() answers.
export const DONE = 0;
export const FULL = 1;
export const AFTER_HEADER = 2;

// -- Open rows that left the table keep a copy here, one slot a kind, in the same four words.
export const SLOT_MESSAGE = 0;
export const SLOT_FIELD = 1;
export const SLOT_BODY = 2;
export const SLOT_LITERAL = 3;
export const SLOT_TEXT = 4;
export const SLOT_HEADER = 5;
export const SLOT_COUNT = 6;
// TO of a slot whose row has got no new TO since the last drain.
export const UNCHANGED = -0x80000000;

// Bytes a window keeps readable (and harmless) behind its data; the longest token.
export const PADDING = 128;
export const LONGEST_TOKEN = 20;
// A line that may open a document header and is still undecided this far (in bytes) from its beginning is text.
export const UNDECIDED_LINE = 0x40000000;

// -- Sums over plain messages, 32-bit words: by role | channel << 3, by token id (terminators and fields), by end (END,
// CALL, RETURN), calls, messages; and the KIND word of the last one.
export const TALLY_PLAIN = 0;
export const TALLY_TOKENS = 32;
export const TALLY_ENDS = 64;
export const TALLY_CALLS = 67;
export const TALLY_MESSAGES = 68;
export const TALLY_LAST = 69;
export const TALLY_WORDS = 70;

// -- skipClean: 32-bit words that the host sets before: flags, roles before which it stops (bits), the window position
// of the first byte that is no UTF-8, containers that may stand in one another in JSON, what texts are kept with beside
// the role; what it leaves: how many messages were passed, the words KIND and TO of the last one, how many of them are
// listed.
export const CLEAN_FLAGS = 0;
export const CLEAN_STOPS = 1;
export const CLEAN_VALID = 2;
export const CLEAN_DEPTH = 3;
export const CLEAN_TAG = 4;
export const CLEAN_MESSAGES = 5;
export const CLEAN_LAST = 6;
export const CLEAN_LAST_TO = 7;
export const CLEAN_LISTED = 8;
// A message that is listed, and why: its row in the table, and window positions (-1: it is not there) of its call id,
// and of the name of the tool that is called or that replies; of what may define tools instead of an id its number
// among the texts that are kept, or 0. CLEAN_KIND holds a CLEAN_JSON when the header of a call declares JSON.
export const CLEAN_LIST = 16;
export const CLEAN_KIND = 0;
export const CLEAN_ROW = 1;
export const CLEAN_ID = 2;
export const CLEAN_KEPT = 2;
export const CLEAN_ID_TO = 3;
export const CLEAN_NAME = 4;
export const CLEAN_NAME_TO = 5;
export const CLEAN_BODY = 6;
export const CLEAN_BODY_TO = 7;
export const CLEAN_ITEM = 8;
export const CLEAN_MOST = 1024;
export const CLEAN_WORDS = 8208;
// Why it is listed: nobody knows what is to be told of it; it may define tools; it calls a tool; it is a tool's reply.
export const CLEAN_OTHER = 1;
export const CLEAN_DEFINER = 2;
export const CLEAN_CALL = 3;
export const CLEAN_REPLY = 4;
export const CLEAN_WHY = 0xff;
export const CLEAN_JSON = 0x100;
// Flags: messages of assistants and tools must have a channel.
export const CLEAN_NEEDS_CHANNEL = 1;
/** Bytes of a message that is read for definitions. */
export const LONGEST_DEFINER = 1048576;

// -- The calls of a transcript: 32-bit words. Rules of the transcript (the host sets them and the other words to 0
// where it begins); how many calls, how many of them wait, the first that may; which kept texts define tools, the one
// that is in force; then the calls from byte LEDGER_ITEM on.
export const LEDGER_RULES = 0;
export const LEDGER_CALLS = 1;
export const LEDGER_OPEN = 2;
export const LEDGER_FIRST = 3;
export const LEDGER_TOOLS = 4;
export const LEDGER_DEFINERS = 5;
export const LEDGER_DEFINER = 6;
export const LEDGER_MOST_DEFINERS = 8;
export const LEDGER_WORDS = 14;
export const LEDGER_ITEM = 64;
// A call: where its message begins, and where its header ends (64-bit floats); lengths of its id and of its name;
// whether it is answered; id, name.
export const LEDGER_FROM = 0;
export const LEDGER_TO = 8;
export const LEDGER_ID_LENGTH = 16;
export const LEDGER_NAME_LENGTH = 20;
export const LEDGER_DONE = 24;
export const LEDGER_ID = 32;
export const LEDGER_NAME = 96;
export const LEDGER_ITEM_BYTES = 192;
export const LEDGER_MOST_CALLS = 256;
// Rules: calls have ids; they must; they stand on commentary; the host looks at them.
export const LEDGER_HAS_IDS = 1;
export const LEDGER_NEEDS_IDS = 2;
export const LEDGER_NEEDS_COMMENTARY = 4;
export const LEDGER_BY_HOST = 8;
export const LEDGER_NEEDS_RECIPIENT = 16;
// What is known of a kept text: nothing yet; it defines no tools; it defines tools, the known ones among them.
export const KEPT_UNKNOWN = 0;
export const KEPT_EMPTY = 1;
export const KEPT_DEFINES = 2;

// -- Types of values, as bits, in tables of arguments (assembly/record/schema.ts). TYPE_ASK: the table does not hold
// all that is asked for. TYPE_UNION: what is known of alternatives; a value of another type is for the host.
export const TYPE_STRING = 1;
export const TYPE_NUMBER = 2;
export const TYPE_INTEGER = 4;
export const TYPE_BOOLEAN = 8;
export const TYPE_NULL = 16;
export const TYPE_ARRAY = 32;
export const TYPE_OBJECT = 64;
export const TYPE_ASK = 128;
export const TYPE_UNION = 256;
// A node: types, enumeration, its length, first property, number of properties, node of items, required properties (64
// bits). A property: name, its length, node, next property. A value: text, its length. All in 32-bit words; texts,
// nodes, properties and values by their addresses.
export const NODE_TYPES = 0;
export const NODE_VALUES = 1;
export const NODE_VALUE_COUNT = 2;
export const NODE_PROPERTIES = 3;
export const NODE_PROPERTY_COUNT = 4;
export const NODE_ITEMS = 5;
export const NODE_REQUIRED = 6;
export const NODE_WORDS = 8;
export const PROPERTY_WORDS = 4;
export const VALUE_WORDS = 2;
export const MOST_PROPERTIES = 64;

// -- JSON: how many containers may stand in one another when nobody says otherwise, and at most.
export const JSON_DEPTH = 1024;
export const JSON_DEEPEST = 65536;

// -- Most objects and lists of a record, each of which costs up to two kilobytes where it becomes a value, and most
// values beside the first of each; a record that holds more has at least so many bytes.
export const RECORD_CONTAINERS = 65536;
export const RECORD_FURTHER = 0x100000;
export const RECORD_CROWD = 131072;

// -- The text machine's table of a line's members: 32-bit words a member. Keys lie between their quotes, values are
// whole; of a string also where its text lies in the output.
export const MEMBER_KEY_FROM = 0;
export const MEMBER_KEY_TO = 1;
export const MEMBER_FROM = 2;
export const MEMBER_TO = 3;
export const MEMBER_KIND = 4;
export const MEMBER_TEXT_FROM = 5;
export const MEMBER_TEXT_TO = 6;
export const MEMBER_WORDS = 7;
export const MEMBER_BYTES = 28;
export const MOST_MEMBERS = 256;
// -- Pieces of the text machine (assembly/text-chat.ts): what headers of 2.2 and Harmony say, and what `messages` says
// instead.
export const CHAT_PREAMBLE = 0;
export const CHAT_TO_TOOL = 1;
export const CHAT_ID = 2;
export const CHAT_ARGUMENTS = 3;
export const CHAT_FROM_TOOL = 4;
export const CHAT_FROM_NAME = 5;
export const CHAT_RESULT = 6;
// By the role.
export const CHAT_PLAIN = 7;
export const CHAT_END = 13;
export const CHAT_ANSWER = 14;
export const CHAT_NULL = 15;
export const CHAT_THINKING = 16;
export const CHAT_CALLS = 17;
export const CHAT_CALL = 18;
export const CHAT_CALL_NAME = 19;
export const CHAT_CALL_ARGUMENTS = 20;
export const CHAT_CALL_END = 21;
export const CHAT_CALLS_END = 22;
export const CHAT_REPLY = 23;
export const CHAT_REPLY_NAME = 24;
export const CHAT_REPLY_CONTENT = 25;
export const CHAT_MADE_ID = 26;
export const CHAT_ASSISTANT = 27;
export const CHAT_TOOL = 28;
export const CHAT_TO = 29;
export const CHAT_TO_ASSISTANT = 30;
export const CHAT_COMMENTARY = 31;
export const CHAT_JSON = 32;
export const CHAT_HINT = 33;
export const CHAT_BODY = 34;
export const CHAT_PIECES = 35;
// How they are written: no message stands before; the rows are those of Harmony, with preambles, or those of 0.1.
export const CHAT_BEGINS = 1;
export const CHAT_HARMONY = 2;
export const CHAT_PREAMBLES = 4;
export const CHAT_LINE = 8;
// What is lost: in the lowest bits of a word, the number of the message above them.
export const CHAT_LOST_SHIFT = 2;
export const CHAT_LOST_MASK = 3;
export const CHAT_LOST_CALL_ID = 0;
export const CHAT_LOST_REPLY_ID = 1;
export const CHAT_LOST_HINT = 2;
export const CHAT_LOST_CHANNEL = 3;
/** Messages that are written together at most. */
export const CHAT_MESSAGES = 2048;

// Kinds of values: MEMBER_KIND & VALUE_MASK; and whether a backslash stands in the key, in the value when it is a
// string.
export const VALUE_MASK = 0xf;
export const VALUE_STRING = 1;
export const VALUE_NUMBER = 2;
export const VALUE_OBJECT = 3;
export const VALUE_ARRAY = 4;
export const VALUE_TRUE = 5;
export const VALUE_FALSE = 6;
export const VALUE_NULL = 7;
export const KEY_ESCAPED = 16;
export const VALUE_ESCAPED = 32;
/** The string holds a surrogate that has no partner. */
export const VALUE_LONE = 64;
// What `line` answers instead of the number of members: it is no JSON, no object, or more than this reader takes.
export const LINE_OTHER = -1;

// -- Chat records as rows. Every record has a RECORD, a TOOLS and a RECORD_ID row, then its messages; below each
// MESSAGE stand CALL_ID, NAME, RECIPIENT and BODY, in this order, those that there are (BODY always). Of a value FROM
// and TO are its text between the quotes.
export const RECORD = 16;
export const TOOLS = 17;
export const CALL_ID = 18;
export const NAME = 19;
export const RECIPIENT = 20;
// Its FROM … TO is the whole value of `id`, or 0; with what its strings hold above the kind.
export const RECORD_ID = 21;
// RECORD_ID: what a conversion loses of the record and counts, 0 where something else is lost, too (HAS_LOSSES).
// Bits 16 to 27: fields of the record, of its entries and texts; bits 28 to 31: words of ShareGPT that are renamed.
export const LOST_SHIFT = 16;
export const MOST_LOST = 0xfff;
export const RENAMED_SHIFT = 28;
export const RECORD_ROWS = 3;
// RECORD: another reader must look at it: it is no JSON, of another form, or holds what is rare.
export const SLOW = 0x100;
// RECORD: it has calls; contents that are lists of parts, not all of them text; calls or replies without an id; a
// developer's message in front; messages that are IS_OPEN, MAY_THINK or MAY_NOT_FIT (set by `checkRecords`).
export const HAS_CALLS = 0x200;
export const HAS_PARTS = 0x400;
export const LACKS_ID = 0x800;
// RECORD: it says what its messages do not hold or have otherwise, and what is not counted by RECORD_ID: members that
// stand twice, an empty list of tools, a role under another name, a call in a text that our writer would lay out anew.
export const HAS_LOSSES = 0x1000;
export const HAS_DEVELOPER = 0x2000;
export const HAS_MARKED = 0x4000;
// RECORD: arguments that are no string.
export const HAS_VALUES = 0x8000;
// RECORD, when it is SLOW: it has members, none of which is a list that is wanted; the line is a JSON object, in UTF-8.
export const IS_OTHER = 0x200;
export const IS_OBJECT = 0x400;
// RECORD: its number among the records of the table, from 0, in the high half of the word.
export const RECORD_SHIFT = 16;
// MESSAGE: the second of two transcripts of its record begins with it.
export const BEGINS_SIDE = 0x20000000;
// MESSAGE of a call: no reply answers it (set by `checkRecords`).
export const IS_OPEN = 0x40000000;
// MESSAGE of an assistant that is shown: reasoning may be written in its text (set by `checkRecords`).
export const MAY_THINK = 0x80000000;
// MESSAGE of a call: its arguments are JSON, which may not fit the tool's definition (set by `checkRecords`).
export const MAY_NOT_FIT = 0x80000000;
// BODY: its text holds escapes; such as a writer may leave out; it is a list of parts (FROM … TO is the list);
// arguments that are no string; there is no content (FROM … TO is the entry); its text stands within a part of the
// entry, or its texts do.
export const ESCAPED = 0x100;
export const CODED = 0x200;
export const PARTS = 0x400;
export const VALUE = 0x800;
export const ABSENT = 0x1000;
export const IN_PART = 0x2000;
// TOOLS: FROM … TO is the list, or FROM = TO = 0. What is known of it: none is there; flat definitions; the host must
// say.
export const TOOLS_SHIFT = 8;
export const TOOLS_MASK = 0x3;
export const TOOLS_NONE = 0;
export const TOOLS_FLAT = 1;
export const TOOLS_ASK = 2;
export const TOOLS_GOOD = 3;
// TOOLS: members of the record's messages stand elsewhere than in a chat record; its findings are the host's.
export const ELSEWHERE = 0x400;
// TOOLS: an escape may stand for a character of a tag between which a call, a reply or definitions are written as text.
export const CODED_TAGS = 0x800;
// TOOLS: the record's messages are two transcripts, the sides of a preference.
export const HAS_SIDES = 0x1000;
// TOOLS: the record is text in which no message, token or header can stand.
export const IS_TEXT = 0x2000;
// TOOLS: the record is text that may be a transcript: BODY rows stand below RECORD in the place of messages, which
// together are the text. Only who wants FORM_TRANSCRIPTS meets it.
export const IS_TRANSCRIPT = 0x4000;
// TOOLS, of a record that is HAS_MARKED: the rules are to tell which replies answer which calls, and which ids are bad.
export const MISMATCHES = 0x8000;
// TOOLS: number of the list among those that are kept, from 1; 0: it is not kept. NEXT is not a row there, but the
// line, from 0.
export const ENTRY_SHIFT = 16;
export const MOST_ENTRIES = 4096;

// Messages of chat records on their way into a table, CELLS words each: kind (assembly/record/lines.ts); row of the
// record; index; addresses of the message and of its body; of name and call id (FROM 0: none), and where the content
// ends in the output.
export const CELLS = 12;
export const CELL_KIND = 0;
export const CELL_RECORD = 1;
export const CELL_INDEX = 2;
export const CELL_FROM = 3;
export const CELL_TO = 4;
export const CELL_BODY_FROM = 5;
export const CELL_BODY_TO = 6;
export const CELL_NAME_FROM = 7;
export const CELL_NAME_TO = 8;
export const CELL_ID_FROM = 9;
export const CELL_ID_TO = 10;
export const CELL_CONTENT_TO = 11;

// What records are written as: text of 2.2, where nothing is lost; the same, to be read rather than kept; chat records;
// text of Harmony; ShareGPT.
export const TEXTS_CONVERTED = 0;
export const TEXTS_AS_GIVEN = 1;
export const TEXTS_CHATS = 2;
export const TEXTS_HARMONY = 3;
export const TEXTS_SHAREGPT = 4;
// Beside one of them: also those of which fields are lost, or words are renamed, all of which is counted.
export const TEXTS_LOSING = 8;
export const TEXTS_RENAMING = 16;
// In Harmony and ShareGPT also those that lose ids of calls, or that a preamble is meant to be one; whose replies get
// names (Harmony); whose thoughts are left out (ShareGPT).
export const TEXTS_IDS = 32;
export const TEXTS_PREAMBLES = 64;
export const TEXTS_NAMES = 128;
export const TEXTS_THOUGHTS = 256;
// Texts in lines of JSON, with an id.
export const TEXTS_LINES = 512;

// Forms of records that a scan is to take.
export const FORM_MESSAGES = 1;
export const FORM_CONVERSATIONS = 2;
// Items of Responses, preferences, prompts with completions, instructions.
export const FORM_OTHERS = 4;
// Texts of `text`, and such prompts with completions as hold tokens: those that may be transcripts are IS_TRANSCRIPT.
export const FORM_TRANSCRIPTS = 8;
// Turns by themselves, each a transcript.
export const FORM_TURNS = 16;
// Beside them: what a conversion loses is counted (LOST_SHIFT), where it can be; else all of it is HAS_LOSSES.
export const COUNTS_LOST = 32;

// -- Sums over records, 32-bit words: by role | channel << 3, calls, messages, transcripts, records that are
// text.
export const RECORD_SUM_PLAIN = 0;
export const RECORD_SUM_CALLS = 32;
export const RECORD_SUM_MESSAGES = 33;
export const RECORD_SUM_TRANSCRIPTS = 34;
export const RECORD_SUM_TEXTS = 35;
export const RECORD_SUM_WORDS = 36;
