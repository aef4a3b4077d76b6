// The calls of the transcript at hand, as long as nothing is to be told of them, and who answers which. The host takes
// over when something is: it is given the calls (src/rules/calls.ts, the matcher, which this one may only agree with),
// and is asked for the rest of the transcript.
//
// Ids and names are copied, as windows go. Calls lie in a list: a reply looks from the first one that waits on, which
// is mostly the one.

import {
  LEDGER_BY_HOST, LEDGER_CALLS, LEDGER_DEFINER, LEDGER_DEFINERS, LEDGER_FIRST, LEDGER_HAS_IDS, LEDGER_ITEM,
  LEDGER_ITEM_BYTES,
  LEDGER_MOST_CALLS, LEDGER_MOST_DEFINERS, LEDGER_NEEDS_IDS, LEDGER_OPEN, LEDGER_RULES, LEDGER_TOOLS,
} from '../src/abi';
import { isSame } from './same';

// @ts-ignore: decorator
@lazy export const LEDGER: usize = memory.data(LEDGER_ITEM + LEDGER_MOST_CALLS * LEDGER_ITEM_BYTES, 16);

/**
 * A call: where its message begins, where its header ends (both f64), lengths of its id and name, whether it is
 * answered, then id and name.
 */
const ID: usize = 32;
const MOST_ID: usize = 64;
const NAME: usize = 96;
const MOST_NAME: usize = 96;

// @ts-ignore: decorator
@inline
function word(which: i32): u32 { return load<u32>(LEDGER + (<usize>which << 2)); }

// @ts-ignore: decorator
@inline
function setWord(which: i32, value: u32): void { store<u32>(LEDGER + (<usize>which << 2), value); }

// @ts-ignore: decorator
@inline
function callAt(index: u32): usize { return LEDGER + LEDGER_ITEM + <usize>index * LEDGER_ITEM_BYTES; }

export function ledgerRules(): u32 { return word(LEDGER_RULES); }

/** The rest of the transcript is for the host. */
export function handOver(): void { setWord(LEDGER_RULES, word(LEDGER_RULES) | LEDGER_BY_HOST); }

/** The kept text whose definitions are in force; 0: there are none. */
export function toolsInForce(): u32 { return word(LEDGER_TOOLS); }

/** A kept text defines tools. False: they are not the only ones, which is for the host. */
export function define(kept: u32): bool {
  const count = word(LEDGER_DEFINERS);
  if (word(LEDGER_TOOLS) != 0 || count == LEDGER_MOST_DEFINERS) return false;
  setWord(LEDGER_DEFINER + count, kept);
  setWord(LEDGER_DEFINERS, count + 1);
  setWord(LEDGER_TOOLS, kept);
  return true;
}

// @ts-ignore: decorator
@inline
function isText(at: usize, from: usize, to: usize, lengthAt: usize): bool {
  return <usize>load<u32>(lengthAt) == to - from && isSame(at, from, to - from);
}

/** Whether a call may be added: ids are given where they must be, each once. */
export function addCall(from: f64, headerTo: f64, id: usize, idTo: usize, name: usize, nameTo: usize): bool {
  const rules = word(LEDGER_RULES);
  const count = word(LEDGER_CALLS);
  const idLength = id != 0 && (rules & LEDGER_HAS_IDS) != 0 ? idTo - id : 0;
  if (count == LEDGER_MOST_CALLS || idLength > MOST_ID || nameTo - name > MOST_NAME) return false;
  if (idLength == 0) {
    if ((rules & LEDGER_NEEDS_IDS) != 0) return false;
  } else {
    // The last ones are the ones that look alike.
    for (let i = count; i-- != 0; ) if (isText(callAt(i) + ID, id, idTo, callAt(i) + 16)) return false;
  }
  const call = callAt(count);
  store<f64>(call, from);
  store<f64>(call, headerTo, 8);
  store<u32>(call, <u32>idLength, 16);
  store<u32>(call, <u32>(nameTo - name), 20);
  store<u32>(call, 0, 24);
  memory.copy(call + ID, id, idLength);
  memory.copy(call + NAME, name, nameTo - name);
  setWord(LEDGER_CALLS, count + 1);
  setWord(LEDGER_OPEN, word(LEDGER_OPEN) + 1);
  return true;
}

/**
 * Whether a reply answers a call that waits: the one with its id; without ids the first of its name, or the first.
 * `name` 0: it names none.
 */
export function answer(id: usize, idTo: usize, name: usize, nameTo: usize): bool {
  const rules = word(LEDGER_RULES);
  const count = word(LEDGER_CALLS);
  const hasId = (rules & LEDGER_HAS_IDS) != 0 && id != 0;
  if (!hasId && (rules & LEDGER_NEEDS_IDS) != 0) return false;
  for (let i = word(LEDGER_FIRST); i < count; i++) {
    const call = callAt(i);
    if (load<u32>(call, 24) != 0) continue;
    const isNamed = name == 0 || isText(call + NAME, name, nameTo, call + 20);
    if (hasId) {
      if (!isText(call + ID, id, idTo, call + 16)) continue;
      if (!isNamed) return false;
    } else if (!isNamed) continue;
    store<u32>(call, 1, 24);
    setWord(LEDGER_OPEN, word(LEDGER_OPEN) - 1);
    let first = word(LEDGER_FIRST);
    while (first < count && load<u32>(callAt(first), 24) != 0) first++;
    setWord(LEDGER_FIRST, first);
    return true;
  }
  return false;
}
