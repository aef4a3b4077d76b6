// A text inside a regular expression.

/** The pattern that finds the text as it stands, with or without the flag `u`. */
export const literalPattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
