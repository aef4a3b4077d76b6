// Names of tools, as calls have them for recipients.

/** Tools that the model brings with it: they are called on analysis too, and need no definition. */
export const isBuiltin = (recipient: string): boolean => /^(browser(\.|$)|python$|container\.)/.test(recipient);

/** A tool's name as names are compared. */
export const plainName = (name: string): string => (name.startsWith('functions.') ? name.slice(10) : name);
