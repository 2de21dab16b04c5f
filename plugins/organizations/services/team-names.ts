/** The team that each organization has from the start. */
export const ownersName = 'Owners';
export const nameForm = /^[\w.-]+$/;
/** Segments of addresses below `/org/{org}/teams`, which teams cannot be called. */
export const reservedNames: ReadonlySet<string> = new Set(['new', 'search']);
