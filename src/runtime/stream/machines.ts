// Scanners that streams share: a stream has one while it is fed, and keeps it until another stream wants it.
//
// Thousands of streams thus need one scanner. What a stream leaves behind is the scanner's saved state and the few
// bytes that were not read yet; one stream alone never saves anything.

import type { RowMachine } from '../../scan/machine.ts';

/** Who uses a scanner. */
export interface Tenant {
  /** For Machines alone: where the tenant was last. */
  seat: Seat | null;
  /** Another one takes the scanner: keep what is in it. Between two calls only, with an empty table. */
  leave(machine: RowMachine): void;
  /** The scanner is at hand again: put back what was in it. */
  enter(machine: RowMachine): void;
}

export interface Seat {
  readonly machine: RowMachine;
  tenant: Tenant | null;
  isBusy: boolean;
}

export class Machines {
  readonly #make: () => RowMachine;
  readonly #seats: Seat[] = [];

  constructor(make: () => RowMachine) {
    this.#make = make;
  }

  /**
   * A scanner in the state that the tenant left it in, until `release`. Meanwhile a callback may use further streams.
   */
  take(tenant: Tenant): RowMachine {
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
