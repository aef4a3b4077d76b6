// Names of tools, as calls have them for recipients.

const BUILTINS: readonly string[] = ['browser', 'python', 'container'];
const NONE: readonly string[] = [];
const PREFIX = 'functions.';

/**
 * Tools that the model brings with it, or that the header of a transcript lists (`further`): they are called on
 * analysis too, and need no definition. An action belongs to its tool; `functions.` may stand in front (R-BUILTIN).
 */
export function isBuiltin(recipient: string, further: readonly string[] = NONE): boolean {
  const name = plainName(recipient);
  const dot = name.indexOf('.');
  const tool = dot < 0 ? name : name.slice(0, dot);
  return BUILTINS.includes(tool) || further.includes(tool) || further.includes(name);
}

/** A tool's name as names are compared. */
export function plainName(name: string): string {
  return name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name;
}

/** The bare name of a tool: a function's without its namespace, where adding it gives the recipient back. */
export function toolName(recipient: string, further: readonly string[] = NONE): string {
  const name = plainName(recipient);
  return name === '' || isBuiltin(name, further) || name.startsWith(PREFIX) ? recipient : name;
}

/**
 * Whether a call's body is the tool's input as it stands: python takes code. All others take JSON, whatever type a
 * header gives: models write `code`, `response` and worse before arguments.
 */
export function takesText(name: string, contentType: string | null | undefined): boolean {
  return name === 'python' && contentType !== 'json';
}

/** The recipient that a bare name means. */
export function toolRecipient(name: string, further: readonly string[] = NONE): string {
  return isBuiltin(name, further) || name.startsWith(PREFIX) ? name : PREFIX + name;
}
