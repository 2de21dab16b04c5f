import { createHash, randomBytes } from 'node:crypto';

/** The database has only this of codes, tokens and secrets: 32 random bytes need no slow hash. */
export const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/** Told apart by their beginnings, so that each is looked for in one place only. */
export const prefixes = { access: 'moat_', refresh: 'mort_', client: 'mocs_', code: 'moac_' } as const;

export const newSecret = (kind: keyof typeof prefixes): string =>
  prefixes[kind] + randomBytes(32).toString('base64url');

export const isSecret = (kind: keyof typeof prefixes, text: string): boolean =>
  text.startsWith(prefixes[kind]) && /^[\w-]{43}$/.test(text.slice(prefixes[kind].length));
