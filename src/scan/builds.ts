// The two builds of a WebAssembly module: the one that the engine takes, compiled once.

/** `best` asks the engine. */
export type Build = 'simd' | 'scalar' | 'best';

/** The bytes of a build, got when they are needed. */
export type Binary = () => Uint8Array<ArrayBuffer>;

export class Builds {
  readonly #simd: Binary;
  readonly #scalar: Binary;
  readonly #modules = new Map<Build, WebAssembly.Module>();

  constructor(simd: Binary, scalar: Binary) {
    this.#simd = simd;
    this.#scalar = scalar;
  }

  /** The build that this engine takes; throws where WebAssembly is refused (a content security policy, for example). */
  compile(build: Build): WebAssembly.Module {
    let module = this.#modules.get(build);
    if (module) return module;
    module = build === 'best' ? this.#best() : new WebAssembly.Module(build === 'simd' ? this.#simd() : this.#scalar());
    this.#modules.set(build, module);
    return module;
  }

  #best(): WebAssembly.Module {
    try {
      return this.compile('simd');
    } catch {
      return this.compile('scalar');
    }
  }
}
