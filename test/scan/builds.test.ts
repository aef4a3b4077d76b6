// Which build of a module is taken.

import { expect, test } from 'vitest';
import { type Binary, Builds } from '../../src/scan/builds.ts';

const HEADER = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
/** A module that exports a global of this name. */
const named = (name: string): Binary => () => {
  const global = [6, 6, 1, 0x7f, 0, 0x41, 0, 0x0b];
  return Uint8Array.of(...HEADER, ...global, 7, 5, 1, 1, name.charCodeAt(0), 3, 0);
};
/** As an engine without SIMD sees the simd build. */
const unknown: Binary = () => Uint8Array.of(...HEADER, 255, 0);
const exported = (module: WebAssembly.Module): string[] => WebAssembly.Module.exports(module).map(({ name }) => name);

test('the simd build, where the engine knows it', () => {
  const builds = new Builds(named('v'), named('s'));
  expect(exported(builds.compile('best'))).toEqual(['v']);
  expect(exported(builds.compile('scalar'))).toEqual(['s']);
});

test('the scalar build, where it does not', () => {
  const builds = new Builds(unknown, named('s'));
  expect(exported(builds.compile('best'))).toEqual(['s']);
  expect(() => builds.compile('simd')).toThrow(WebAssembly.CompileError);
});

test('none, where both are refused', () => {
  expect(() => new Builds(unknown, unknown).compile('best')).toThrow(WebAssembly.CompileError);
});

test('a build is read and compiled once', () => {
  let read = 0;
  const once: Binary = () => (read++, named('v')());
  const builds = new Builds(once, unknown);
  expect(builds.compile('best')).toBe(builds.compile('best'));
  expect(builds.compile('simd')).toBe(builds.compile('best'));
  expect(read).toBe(1);
});
