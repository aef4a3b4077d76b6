// Rendering: what an end user may see of an input, for a terminal or a browser.

export type { RenderOptions } from './parts.ts';
export { type HtmlOptions, htmlHead, htmlTail, renderHtml } from './html.ts';
export { type PageInfo, type PagePlace, Pages } from './pages.ts';
export { STYLE } from './style.ts';
export { renderText } from './text.ts';
