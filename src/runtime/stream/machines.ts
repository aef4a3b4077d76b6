// Scanners that streams share: a stream has one while it is fed, and keeps it until another stream wants it.
//
// Thousands of streams thus need one scanner. What a stream leaves behind is the scanner's saved state and the few
// bytes that were not read yet; one stream alone never saves anything.

import type { StreamMachine } from '../../scan/machine.ts';

/** Who uses a scanner. */
export interface Tenant {
  /** For Machines alone: where the tenant was last. */
  seat: Seat | null;
  /** Another one takes the scanner: keep what is in it. Between two calls only, with an empty table. */
  leave(machine: StreamMachine): void;
  /** The scanner is at hand again: put back what was in it. */
  enter(machine: StreamMachine): void;
}

export interface Seat {
  readonly machine: StreamMachine;
  tenant: Tenant | null;
  isBusy: boolean;
}

export class Machines {
  readonly #make: () => StreamMachine;
  readonly #seats: Seat[] = [];

  constructor(make: () => StreamMachine) {
    this.#make = make;
  }

  /**
   * A scanner in the state that the tenant left it in, until `release`. Meanwhile a callback may use further streams.
   */
  take(tenant: Tenant): StreamMachine {
    let { seat } = tenant;
    if (!seat || seat.tenant !== tenant) seat = this.#move(tenant);
    else if (seat.isBusy) throw new Error('a stream was fed by a function that it called');
    seat.isBusy = true;
    return seat.machine;
  }

  release(tenant: Tenant): void {
    tenant.seat!.isBusy = false;
  }

  /** The tenant will not come back. */
  forget(tenant: Tenant): void {
    const { seat } = tenant;
    if (seat?.tenant !== tenant || seat.isBusy) return;
    seat.tenant = tenant.seat = null;
  }

  #move(tenant: Tenant): Seat {
    let seat = this.#seats.find(({ isBusy }) => !isBusy);
    if (!seat) {
      seat = { machine: this.#make(), tenant: null, isBusy: false };
      this.#seats.push(seat);
    }
    seat.tenant?.leave(seat.machine);
    seat.tenant = tenant;
    tenant.seat = seat;
    tenant.enter(seat.machine);
    return seat;
  }
}
