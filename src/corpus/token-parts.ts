// Parts of a text that are encoded one by one.

/**
 * A run of one kind of characters this long is cut: the time that pairing its bytes takes grows with the square of its
 * length. Words, lines and numbers are shorter.
 */
const LONGEST_RUN = 500;
const LONG_RUN = /[\p{L}\p{M}]{500,}|[^\p{L}\p{N}\s]{500,}|\s{500,}/gu;

/** The whole text where no run is long; one behind the other they are the text. */
export function* tokenParts(text: string): Generator<string, void, void> {
  let from = 0;
  for (const { index, 0: run } of text.matchAll(LONG_RUN)) {
    for (let at = index; at < index + run.length; at += LONGEST_RUN) {
      const to = isInside(text, at) ? at + 1 : at;
      if (to > from) yield text.slice(from, to);
      from = to;
    }
  }
  if (from < text.length) yield text.slice(from);
}

/** Between the halves of a character. */
function isInside(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
}
