// The scanners of a thread, and what they have read that will be met again. Each is made when it is first needed.

import { createMachine } from '../../scan/engine.ts';
import type { Machine } from '../../scan/machine.ts';
import { RecordMachine } from '../../scan/record-machine.ts';
import { TextMachine } from '../../scan/text-machine.ts';
import { newToolMemory } from '../../tools/knowledge.ts';
import type { ToolMemory } from '../../tools/known.ts';
import { newHeaders } from '../headers.ts';

export class Scanners {
  #machine: Machine | undefined;
  #tools: ToolMemory | undefined;
  #text: TextMachine | undefined;
  #records: RecordMachine | undefined;
  /**
   * Document headers and definitions of tools that were read: parts and records repeat them, and reading them is slow.
   */
  readonly headers = newHeaders();

  /** `records`: a scanner of records, instead of the usual one. */
  constructor({ records }: { readonly records?: RecordMachine } = {}) {
    this.#records = records;
  }

  get machine(): Machine {
    return (this.#machine ??= createMachine());
  }

  get tools(): ToolMemory {
    return (this.#tools ??= newToolMemory());
  }

  /** Another input has what schemas may cost to itself. */
  restart(): void {
    this.#tools?.budget.restart();
  }

  /** For texts of JSON. */
  get text(): TextMachine {
    return (this.#text ??= new TextMachine());
  }

  /** For chat records. */
  get records(): RecordMachine {
    return (this.#records ??= new RecordMachine());
  }
}
