// What a log shows of an object: as in JSON, where it stands and never what it says.

/** Node's util.inspect, and so console.log, calls the method of this name; nobody else asks for it. */
export const INSPECT: unique symbol = Symbol.for('nodejs.util.inspect.custom') as never;
