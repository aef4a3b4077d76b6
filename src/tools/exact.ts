// Numbers of a JSON text that a double does not hold: reading them as values rounds them.

/** What a string of JSON text begins with, or a number but for its sign. */
const TOKENS = /"|\d[\d.eE+-]*/g;
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
  TOKENS.lastIndex = 0;
  for (let found = TOKENS.exec(text); found !== null; found = TOKENS.exec(text)) {
    const [token] = found;
    if (token === '"') TOKENS.lastIndex = stringEnd(text, TOKENS.lastIndex);
    else if (LONG.test(token) && digitsOf(String(Number(token))) !== digitsOf(token)) return true;
  }
  return false;
}

/** Behind the string whose text begins at `from`. An expression that takes escapes one by one fails at millions. */
function stringEnd(text: string, from: number): number {
  for (let quote = text.indexOf('"', from); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let slash = quote;
    while (text[slash - 1] === '\\') slash--;
    if ((quote - slash) % 2 === 0) return quote + 1;
  }
  return text.length;
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
