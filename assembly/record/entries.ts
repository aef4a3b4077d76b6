// Lists of messages.

import { entry } from './entry';
import { after, firstItem, nextItem } from './members';
import { markOdd } from './state';
import { OPEN_OBJECT, valueEnd } from './text';
import { IN_ENTRIES } from './value';

/** The list of messages at p: the rows of its entries. */
export function entries(p: usize): usize {
  for (p = firstItem(p); p != 0; p = nextItem(p)) {
    if (load<u8>(p) == OPEN_OBJECT) p = entry(p);
    else {
      markOdd();
      p = valueEnd(p, IN_ENTRIES);
    }
  }
  return after;
}
