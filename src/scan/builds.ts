// The two builds of a WebAssembly module, embedded as base64: the one that the engine takes, compiled once.

/** `best` asks the engine. */
export type Build = 'simd' | 'scalar' | 'best';

function decode(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

export class Builds {
  readonly #simd: string;
  readonly #scalar: string;
  readonly #modules = new Map<Build, WebAssembly.Module>();

  constructor(simd: string, scalar: string) {
    this.#simd = simd;
    this.#scalar = scalar;
  }

  /** The build that this engine takes; throws where WebAssembly is refused (a content security policy, for example). */
  compile(build: Build): WebAssembly.Module {
    let chosen = build;
    if (chosen === 'best') chosen = this.#modules.has('simd') || WebAssembly.validate(decode(this.#simd)) ? 'simd' : 'scalar';
    let module = this.#modules.get(chosen);
    if (!module) {
      module = new WebAssembly.Module(decode(chosen === 'simd' ? this.#simd : this.#scalar));
      this.#modules.set(chosen, module);
    }
    return module;
  }
}
