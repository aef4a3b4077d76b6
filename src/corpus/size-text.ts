// Numbers of bytes for people: one unit everywhere, of powers of ten.

const UNITS: readonly (readonly [bytes: number, name: string])[] = [
  [1e15, 'PB'], [1e12, 'TB'], [1e9, 'GB'], [1e6, 'MB'], [1e3, 'kB'],
];

/** `6.0 GB`, `43.4 MB`, `999 kB`, `17 bytes`. */
export function sizeText(bytes: number): string {
  for (const [unit, name] of UNITS) {
    if (bytes >= unit) return `${(bytes / unit).toFixed(bytes < 99.95 * unit ? 1 : 0)} ${name}`;
  }
  return `${Math.round(bytes)} byte${Math.round(bytes) === 1 ? '' : 's'}`;
}
