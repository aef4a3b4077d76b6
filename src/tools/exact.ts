// Numbers of a JSON text that a double does not hold: reading them as values rounds them.

/** A token of JSON text: a string, or a number. */
const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/gs;
/**
 * Numbers that may be rounded: the others have at most 15 digits and no exponent. With one alternative it is tried once
 * at each digit, and a `[\d.]` of its own before the count keeps the engine from counting after each: half the time.
 */
const LONG = /\d(?:[eE]|[\d.][\d.]{14})/;

/** False: no number of a JSON text is rounded. Of a part of one: none whose first 16 bytes stand in it. */
export const mayBeRounded = (text: string): boolean => LONG.test(text);

/** True when a number of a JSON text is another one as a double. Linear in the text. */
export function isRounded(text: string): boolean {
  if (!mayBeRounded(text)) return false;
  for (const [token] of text.matchAll(TOKENS)) {
    if (token[0] !== '"' && LONG.test(token) && digitsOf(String(Number(token))) !== digitsOf(token)) return true;
  }
  return false;
}

/** Sign, digits without zeros around them, and the power of ten: equal for two ways of writing one number. */
function digitsOf(number: string): string {
  const [, sign, whole, fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? [];
  if (whole === undefined) return number;
  const digits = whole + fraction;
  const significant = digits.replace(/^0+/, '').replace(/0+$/, '');
  if (significant === '') return '0';
  const power = Number(exponent) - fraction.length + (digits.length - digits.replace(/0+$/, '').length);
  return `${sign}${significant}e${power}`;
}
