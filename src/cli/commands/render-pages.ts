// Pages of a rendering in a folder: an index, and behind it pages of a bounded size. Every file takes its place when it
// is whole, the index last. What fits on one page is the index itself.

import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { InputError } from '../../corpus/error.ts';
import { fileOutputError, OutputFile, removeStale } from '../../corpus/output-file.ts';
import { htmlHead, htmlTail, type PageInfo, type PagePlace, Pages } from '../../formats/render/render.ts';

/** UTF-8 bytes of an index from which on it goes on in another file. */
const LONGEST_INDEX = 512 * 1024;
const TITLE = 'Transcripts';

/** Makes the folder. Throws an InputError when it holds something, a FileOutputError when it cannot be made. */
function makeEmptyFolder(folder: string): void {
  let names: string[];
  try {
    mkdirSync(folder, { recursive: true });
    removeStale(folder);
    names = readdirSync(folder);
  } catch (error) {
    throw fileOutputError(folder, 'cannot be made', error);
  }
  // Pages of before would stand beside those of now, and might show what these hide.
  if (names.length > 0) throw new InputError(folder, 'holds something already', 'name a new or an empty folder');
}

const pageName = (number: number): string => `page-${number}.html`;
const indexName = (number: number): string => (number === 1 ? 'index.html' : `index-${number}.html`);
const link = (name: string, text: string): string => `<a href="${name}">${text}</a>`;
const nav = (links: readonly string[]): string => `<nav class="note">${links.join(' ')}</nav>\n`;

export class PageFolder {
  readonly pages: Pages;
  readonly #folder: string;
  /** The first page, which may be the only one, until it is whole. */
  #first: Uint8Array[] | null = [];
  #page: OutputFile | null = null;
  #index: OutputFile | null = null;
  #indexes = 0;
  /** Whole files of the index: their places are taken last. */
  #waiting: OutputFile[] = [];

  /** Throws an InputError or a FileOutputError. */
  constructor(folder: string) {
    makeEmptyFolder(folder);
    this.#folder = folder;
    this.pages = new Pages({
      write: (bytes) => this.#write(bytes),
      end: (info, isLast) => this.#end(info, isLast),
    });
  }

  /** All has come. Throws a FileOutputError. */
  commit(): void {
    this.pages.end();
    for (const file of this.#waiting.reverse()) file.commit();
  }

  /** What is not whole goes; nothing after a `commit`. */
  discard(): void {
    for (const file of [this.#page, this.#index, ...this.#waiting]) file?.discard();
  }

  #create(name: string): OutputFile {
    return OutputFile.create(join(this.#folder, name));
  }

  #write(bytes: Uint8Array): void {
    if (this.#first !== null) this.#first.push(bytes.slice());
    else this.#page!.write(bytes);
  }

  /** A page is whole. */
  #end(info: PageInfo, isLast: boolean): void {
    const { number } = info;
    if (isLast && this.#first !== null) {
      const only = this.#begin(indexName(1), null);
      only.write(htmlTail());
      this.#waiting.push(only);
      return;
    }
    const page = this.#first === null ? this.#page! : this.#begin(pageName(1), 1);
    if (!isLast) page.write(nav([link(pageName(number + 1), 'Next page')]));
    page.write(htmlTail());
    page.commit();
    this.#list(info, isLast);
    this.#page = isLast ? null : this.#begin(pageName(number + 1), number + 1);
  }

  /** A page, with what was held back of the first one. `number` null: there is no other. */
  #begin(name: string, number: number | null): OutputFile {
    const file = (this.#page = this.#create(name));
    file.write(htmlHead(number === null ? undefined : `${TITLE}, page ${number}`));
    if (number !== null) {
      const before = number > 1 ? [link(pageName(number - 1), 'Page before')] : [];
      file.write(nav([link(indexName(1), 'Index'), ...before]));
    }
    for (const bytes of this.#first ?? []) file.write(bytes);
    this.#first = null;
    return file;
  }

  /** Its line in the index. */
  #list({ number, messages, first, last }: PageInfo, isLast: boolean): void {
    const index = (this.#index ??= this.#beginIndex());
    const [from, to] = [placeText(first, null), placeText(last, first)];
    const count = `${messages} ${messages === 1 ? 'message' : 'messages'}`;
    const range = [from, to].filter((text) => text !== '').join(' to ');
    index.write(`<p>${link(pageName(number), `Page ${number}`)}: ${range === '' ? '' : `${range}; `}${count}</p>\n`);
    const isFull = index.size >= LONGEST_INDEX;
    if (!isLast && !isFull) return;
    if (!isLast) index.write(nav([link(indexName(this.#indexes + 1), 'Next pages')]));
    index.write(htmlTail());
    this.#waiting.push(index);
    this.#index = null;
  }

  #beginIndex(): OutputFile {
    const number = ++this.#indexes;
    const file = this.#create(indexName(number));
    file.write(htmlHead(number === 1 ? TITLE : `${TITLE}, index ${number}`));
    if (number > 1) file.write(nav([link(indexName(number - 1), 'Pages before')]));
    return file;
  }
}

/** Headings of a place, without what another one says already. */
function placeText({ input, transcript }: PagePlace, beside: PagePlace | null): string {
  if (beside !== null && beside.input === input && beside.transcript === transcript) return '';
  return [beside?.input === input ? null : input, transcript].filter((text) => text !== null).join(', ');
}
