// Rendering: what an end user may see of an input, for a terminal or a browser.

export type { Placed, RenderOptions } from './render-parts.ts';
export { type HtmlOptions, htmlHead, htmlTail, renderHtml } from './render-html.ts';
export { STYLE } from './render-style.ts';
export { renderText } from './render-text.ts';
