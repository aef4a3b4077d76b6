// Lists of messages.

import { entry } from './entry';
import { markOdd } from './state';
import { CLOSE_LIST, COMMA, OPEN_OBJECT, skipBlanks, valueEnd } from './text';
import { IN_ENTRIES } from './value';

/** The list of messages at p: the rows of its entries. */
export function entries(p: usize): usize {
  p = skipBlanks(p + 1);
  if (load<u8>(p) == CLOSE_LIST) return p + 1;
  while (true) {
    if (load<u8>(p) == OPEN_OBJECT) p = entry(p);
    else {
      markOdd();
      p = valueEnd(p, IN_ENTRIES);
    }
    if (p == 0) return 0;
    p = skipBlanks(p);
    const byte = <u32>load<u8>(p);
    if (byte == CLOSE_LIST) return p + 1;
    if (byte != COMMA) return 0;
    p = skipBlanks(p + 1);
  }
}
