// The style of rendered pages: one sheet in the page itself, which the page's policy allows by its hash, and nothing
// else.

/** Bodies keep their white space; colours follow the reader's choice of light or dark. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ink: #1b1b1b; --page: #fff; --dim: #595959; --line: #c8c8c8; --own: #eef3fa; --warn: #8a4b00;
}
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8e8e8; --page: #161616; --dim: #a8a8a8; --line: #454545; --own: #1e2836; --warn: #f0b060; }
}
body { margin: 0; background: var(--page); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 50rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.4rem; }
.input > h2, .transcript > h2, .transcript > h3, .transcript > h4 {
  font-size: 1rem; color: var(--dim); overflow-wrap: anywhere;
}
.message { margin: 1rem 0; padding: .5rem 1rem; border: 1px solid var(--line); border-radius: .5rem; }
.message.user { background: var(--own); }
.message.hidden { border-style: dashed; }
.message h3, .message h4, .message h5 { display: inline; margin: 0; font-size: .9rem; overflow-wrap: anywhere; }
.body { margin-top: .25rem; white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: plaintext; }
.name, .control, .note, dl { color: var(--dim); }
.label { color: var(--warn); font-weight: normal; }
.cut { border-left: .2rem solid var(--warn); padding-left: .3rem; }
dl { margin: .25rem 0; font-size: .85rem; }
dl div { display: inline; margin-right: 1rem; }
dt, dd { display: inline; margin: 0; overflow-wrap: anywhere; }
dt::after { content: "="; }
`;

/** Of the style's bytes. */
const HASH = 'sha256-uWBn/UcCBXy3WmfBeu88Ey+1i2B5EMJNv7/rDzcahCo=';

/** What a page may load: nothing; and the one style that it may have. */
export const POLICY = `default-src 'none'; style-src '${HASH}'; base-uri 'none'; form-action 'none'`;
