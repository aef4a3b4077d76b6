// Text that comes from data, arguments or file names, made safe to look at: nothing in it may steer a terminal, turn
// the direction of writing, or mean anything in HTML.

/**
 * C0, DEL, C1, line and paragraph separators, and what changes the direction of writing; spaces that are not to be
 * seen as such.
 */
const CONTROL = /[\0-\x1f\x7f-\xa0\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
/** The same without spaces, which a browser may show as they are. */
const HTML_SPECIAL = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff&<>"']/g;
const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\t': '\\t', '\r': '\\r' };
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;',
};

function escapeOne(character: string): string {
  const code = character.charCodeAt(0);
  return SHORT[character] ?? (code < 0x100 ? `\\x${hex(code, 2)}` : `\\u${hex(code, 4)}`);
}

const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0');

/** Text of one line: every control character is shown as an escape. For names, words of a header, and the like. */
export function escapeLine(text: string): string {
  return text.replace(CONTROL, escapeOne);
}

/** Code points of a name that are shown. */
const SHOWN = 80;

/** A name from data, for a sentence: on one line, and not longer than a reader can use. */
export function shownName(name: string): string {
  // A code point is at most two units, and what is cut off need not be looked at.
  const characters = [...name.slice(0, 2 * SHOWN + 1)];
  const cut = characters.length > SHOWN ? `${characters.slice(0, SHOWN - 1).join('')}\u2026` : name;
  return escapeLine(cut);
}

/** Text of several lines: newlines and tabs stay. */
export function escapeText(text: string): string {
  return text.replace(CONTROL, (found) => (found === '\n' || found === '\t' ? found : escapeOne(found)));
}

/** JSON that means the same and cannot steer a terminal; C0 is escaped in it already. */
export function escapeJson(text: string): string {
  return text.replace(CONTROL, (found) => (found === '\n' ? found : `\\u${hex(found.charCodeAt(0), 4)}`));
}

/**
 * HTML text or attribute value of several lines: newlines and tabs stay. C0 and DEL become their pictures (NUL is
 * U+2400), the rest escapes; `mark` wraps each one, so that it can be told from the same characters in the text.
 */
export function escapeHtml(text: string, mark: (sign: string) => string = (sign) => sign): string {
  return text.replace(HTML_SPECIAL, (found) => {
    const code = found.charCodeAt(0);
    if (code < 0x20) return mark(String.fromCharCode(0x2400 + code));
    return ENTITIES[found] ?? mark(code === 0x7f ? '\u2421' : escapeOne(found));
  });
}
