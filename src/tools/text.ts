// Text as UTF-16 may hold it.

/** Whether a text holds no surrogate without its partner. */
export function isWellFormed(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0xd800 || unit > 0xdfff) continue;
    const next = text.charCodeAt(at + 1);
    if (unit > 0xdbff || !(next >= 0xdc00 && next <= 0xdfff)) return false;
    at++;
  }
  return true;
}
