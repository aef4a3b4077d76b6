// A strict reader of the HTML that the report is: every element is closed, every attribute quoted, nothing is guessed.

export interface Element {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: (Element | string)[];
}

const VOID = new Set(['meta', 'wbr']);
const RAW = new Set(['script', 'style']);
const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'",
};

/** The text of text; throws where a bare `&` or `>` stands, which the report never writes. */
function decode(text: string): string {
  if (/&(?!(?:amp|lt|gt|quot|#39);)|>/.test(text)) throw new Error(`bare sign in ${JSON.stringify(text.slice(0, 80))}`);
  return text.replace(/&[^;]+;/g, (entity) => ENTITIES[entity]!);
}

/** The root element of a page. Throws where it is not as strict as said above. */
export function readHtml(page: string): Element {
  const start = '<!DOCTYPE html>\n';
  if (!page.startsWith(start)) throw new Error('no doctype');
  const top: Element = { name: '', attributes: new Map(), children: [] };
  const open: Element[] = [top];
  let at = start.length;
  while (at < page.length) {
    const next = page.indexOf('<', at);
    const text = page.slice(at, next < 0 ? page.length : next);
    if (text !== '') open.at(-1)!.children.push(decode(text));
    if (next < 0) break;
    const tag = /^<(\/?)([a-z][a-z0-9]*)((?: [a-zA-Z-]+(?:="[^"<]*")?)*)(\/?)>/.exec(page.slice(next, next + 2000));
    if (!tag) throw new Error(`no tag: ${JSON.stringify(page.slice(next, next + 80))}`);
    at = next + tag[0].length;
    const [, isEnd, name, words, isClosed] = tag;
    if (isEnd) {
      const ended = open.pop()!;
      if (ended.name !== name) throw new Error(`</${name}> ends <${ended.name}>`);
      continue;
    }
    const attributes = new Map<string, string>();
    for (const [, key, value] of words!.matchAll(/ ([a-zA-Z-]+)(?:="([^"]*)")?/g)) {
      if (attributes.has(key!)) throw new Error(`${key} twice`);
      attributes.set(key!, decode(value ?? ''));
    }
    const element: Element = { name: name!, attributes, children: [] };
    open.at(-1)!.children.push(element);
    if (VOID.has(name!) || isClosed) continue;
    if (RAW.has(name!)) {
      const end = page.indexOf(`</${name}`, at);
      element.children.push(page.slice(at, end));
      at = end + name!.length + 3;
    } else {
      open.push(element);
    }
  }
  if (open.length !== 1) throw new Error(`<${open.at(-1)!.name}> is not ended`);
  return top.children.find((child) => typeof child !== 'string')!;
}

/** An element and all below it. */
export function* elementsOf(element: Element): Generator<Element, void, void> {
  yield element;
  for (const child of element.children) if (typeof child !== 'string') yield* elementsOf(child);
}

/** The text of an element, without scripts and styles. */
export function textOf(element: Element): string {
  if (RAW.has(element.name)) return '';
  return element.children.map((child) => (typeof child === 'string' ? child : textOf(child))).join('');
}
