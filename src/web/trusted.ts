// The one policy of trusted types that the page has: the worker's address, and the report, which is read as an inert
// document and copied element by element.

interface Policy {
  createHTML(html: string): string;
  createScriptURL(url: string): string;
}

interface Factory {
  createPolicy(name: string, rules: Policy): Policy;
}

const RULES: Policy = { createHTML: (html) => html, createScriptURL: (url) => url };

/** Browsers without trusted types take text. */
const factory = (globalThis as { trustedTypes?: Factory }).trustedTypes;
const policy = factory?.createPolicy('openchatml', RULES) ?? RULES;

export function startWorker(): Worker {
  return new Worker(policy.createScriptURL('./worker.js'), { type: 'module' });
}

const ELEMENTS: ReadonlySet<string> = new Set([
  'a', 'bdi', 'br', 'caption', 'code', 'dd', 'details', 'div', 'dl', 'dt', 'figcaption', 'figure', 'h3', 'h2', 'li',
  'nav', 'p', 'section', 'small', 'span', 'summary', 'table', 'tbody', 'td', 'th', 'thead', 'tr', 'ul', 'wbr', 'svg',
  'rect',
]);
const ATTRIBUTES: ReadonlySet<string> = new Set([
  'class', 'id', 'scope', 'data-value', 'hidden', 'aria-hidden', 'aria-label', 'viewbox', 'preserveaspectratio',
  'width', 'height', 'href',
]);
const SVG = 'http://www.w3.org/2000/svg';

/** The elements of a report. Only those that it is made of, with their attributes, are copied; links stay inside. */
export function reportElements(html: string): DocumentFragment {
  const inert = new DOMParser().parseFromString(policy.createHTML(html), 'text/html');
  const whole = document.createDocumentFragment();
  for (const child of inert.body.childNodes) copy(child, whole);
  return whole;
}

function copy(node: Node, into: Node): void {
  if (node instanceof Text) into.appendChild(document.createTextNode(node.data));
  if (!(node instanceof Element) || !ELEMENTS.has(node.localName)) return;
  const isSvg = node.namespaceURI === SVG;
  const made = isSvg ? document.createElementNS(SVG, node.localName) : document.createElement(node.localName);
  for (const { name, value } of node.attributes) {
    if (!ATTRIBUTES.has(name.toLowerCase()) || (name === 'href' && !value.startsWith('#'))) continue;
    made.setAttribute(name, value);
  }
  for (const child of node.childNodes) copy(child, made);
  into.appendChild(made);
}
