// JSONTestSuite (github.com/nst/JSONTestSuite): what must be accepted (y_), refused (n_), and what a reader may decide
// (i_).
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { JSON_DEPTH } from '../../src/abi.ts';
import type { Machine } from '../../src/scan/machine.ts';
import { Twin } from '../../src/scan/twin/twin.ts';
import { WasmMachine } from '../../src/scan/wasm.ts';
import { randomOf, SEED } from '../random.ts';
import { jsonFault } from '../reference/json.ts';
import { sharedData } from '../skip.ts';

const SYNTAX = 'numbers are syntax: their size is a matter of who makes them values';
const LONE = 'any four hexadecimal digits make an escape, a lone surrogate too (RFC 8259 §8.2)';
const ENCODING = 'the text is UTF-8 (RFC 8259 §8.1)';

/** What RFC 8259 leaves open, the first wrong byte of it (-1: none), and why. */
const DECIDED: readonly (readonly [file: string, answer: number, why: string])[] = [
  ['i_number_double_huge_neg_exp.json', -1, SYNTAX],
  ['i_number_huge_exp.json', -1, SYNTAX],
  ['i_number_neg_int_huge_exp.json', -1, SYNTAX],
  ['i_number_pos_double_huge_exp.json', -1, SYNTAX],
  ['i_number_real_neg_overflow.json', -1, SYNTAX],
  ['i_number_real_pos_overflow.json', -1, SYNTAX],
  ['i_number_real_underflow.json', -1, SYNTAX],
  ['i_number_too_big_neg_int.json', -1, SYNTAX],
  ['i_number_too_big_pos_int.json', -1, SYNTAX],
  ['i_number_very_big_negative_int.json', -1, SYNTAX],
  ['i_object_key_lone_2nd_surrogate.json', -1, LONE],
  ['i_string_1st_surrogate_but_2nd_missing.json', -1, LONE],
  ['i_string_1st_valid_surrogate_2nd_invalid.json', -1, LONE],
  ['i_string_UTF-16LE_with_BOM.json', 0, ENCODING],
  ['i_string_UTF-8_invalid_sequence.json', 7, ENCODING],
  ['i_string_UTF8_surrogate_U+D800.json', 3, ENCODING],
  ['i_string_incomplete_surrogate_and_escape_valid.json', -1, LONE],
  ['i_string_incomplete_surrogate_pair.json', -1, LONE],
  ['i_string_incomplete_surrogates_escape_valid.json', -1, LONE],
  ['i_string_invalid_lonely_surrogate.json', -1, LONE],
  ['i_string_invalid_surrogate.json', -1, LONE],
  ['i_string_invalid_utf-8.json', 2, ENCODING],
  ['i_string_inverted_surrogates_U+1D11E.json', -1, LONE],
  ['i_string_iso_latin_1.json', 3, ENCODING],
  ['i_string_lone_second_surrogate.json', -1, LONE],
  ['i_string_lone_utf8_continuation_byte.json', 2, ENCODING],
  ['i_string_not_in_unicode_range.json', 3, ENCODING],
  ['i_string_overlong_sequence_2_bytes.json', 2, ENCODING],
  ['i_string_overlong_sequence_6_bytes.json', 2, ENCODING],
  ['i_string_overlong_sequence_6_bytes_null.json', 2, ENCODING],
  ['i_string_truncated-utf-8.json', 3, ENCODING],
  ['i_string_utf16BE_no_BOM.json', 0, ENCODING],
  ['i_string_utf16LE_no_BOM.json', 1, ENCODING],
  ['i_structure_500_nested_arrays.json', -1, 'fewer than 1,024 containers stand in one another'],
  ['i_structure_UTF-8_BOM_empty_object.json', 0, 'a byte order mark is no white space (RFC 8259 §8.1)'],
];

const folder = sharedData('JSONTestSuite/test_parsing');
const FILES = 318;
/** Every cut of a document up to this long; some of a longer one. */
const SHORT = 1024;

const machines: readonly Machine[] = [
  new WasmMachine({ build: 'simd' }), new WasmMachine({ build: 'scalar' }), new Twin(),
];

describe.skipIf(folder === null).each(
  machines.map((machine) => [machine.engine, machine] as const),
)('JSONTestSuite, %s', (_, machine) => {
  const names = folder === null ? [] : readdirSync(folder).filter((name) => name.endsWith('.json'));
  const read = (name: string): Uint8Array => new Uint8Array(readFileSync(join(folder!, name)));

  test('every file is accepted or refused as it must be', () => {
    expect(names.length).toBe(FILES);
    for (const name of names) {
      const document = read(name);
      const answer = machine.checkJson(document, JSON_DEPTH);
      expect(answer, name).toBe(jsonFault(document, JSON_DEPTH));
      if (!name.startsWith('i_')) expect(answer < 0, name).toBe(name.startsWith('y_'));
    }
  });

  test('what is left open is decided as written here', () => {
    expect(DECIDED.map(([name]) => name)).toEqual(names.filter((name) => name.startsWith('i_')).sort());
    for (const [name, answer, why] of DECIDED) {
      expect(machine.checkJson(read(name), JSON_DEPTH), `${name}: ${why}`).toBe(answer);
    }
  });

  test('in two pieces, cut anywhere, and byte by byte', () => {
    const random = randomOf(SEED);
    for (const name of names) {
      const document = read(name);
      const whole = machine.checkJson(document, JSON_DEPTH);
      const cuts = document.length <= SHORT
        ? Array.from({ length: document.length + 1 }, (_unused, at) => at)
        : Array.from({ length: 20 }, () => random.below(document.length));
      for (const at of cuts) {
        const answer = machine.checkJson([document.subarray(0, at), document.subarray(at)], JSON_DEPTH);
        if (answer !== whole) expect(answer, `OPENCHATML_SEED=${SEED}, ${name} cut at ${at}`).toBe(whole);
      }
      const bytewise = function* (): Generator<Uint8Array> {
        for (let at = 0; at < document.length; at++) yield document.subarray(at, at + 1);
      };
      expect(machine.checkJson(bytewise(), JSON_DEPTH), `${name} byte by byte`).toBe(whole);
    }
  });
});
