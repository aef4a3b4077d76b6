// The options of file functions: a wrong value is an error, whatever the file holds.

import { CHECK_OPTIONS, type CheckOptions } from '../rules/check-options.ts';
import { givenDialect, givenRole, READ_OPTIONS } from '../model/walk.ts';
import { givenTools } from '../rules/meaning.ts';
import { checkOneOf, checkOptions, type Names } from '../options.ts';
import { FORMS } from './records/chat-lines.ts';
import { FILE_OPTIONS, type FileOptions } from './records/unit.ts';

/** Throws a TypeError or a RangeError that names the option. */
export function checkFileOptions(options: FileOptions, ...others: readonly Names[]): void {
  checkOptions(options, READ_OPTIONS, FILE_OPTIONS, ...others);
  const { dialect, role, form, field, largestRecord, positions } = options;
  givenDialect(dialect);
  givenRole(role);
  checkOneOf('form', form, Object.keys(FORMS));
  checkOneOf('positions', positions, ['file', 'field']);
  if (field !== undefined && (typeof field !== 'string' || field === '')) {
    throw new TypeError('option field: expected the name of a field, or a JSON pointer to it');
  }
  if (largestRecord !== undefined && !(typeof largestRecord === 'number' && largestRecord >= 1)) {
    throw new RangeError('option largestRecord: expected a number of bytes from 1 on');
  }
}

/** The same for `checkFile`. */
export function checkCheckOptions(options: CheckOptions & FileOptions): void {
  checkFileOptions(options, CHECK_OPTIONS, { tools: 1 });
  givenTools(options.tools);
}
