import { Invalid, type Text } from '@mortise/plugin-sdk';
import { oneLine, storable } from '@mortise/attachments/api';
import { isRefName } from '@mortise/git/api';
import { t } from '../texts/index.js';

export { oneLine, storable };

const wrong = (message: Text) => Invalid(message, { inputs: { tag_name: message } });

/** Throws Invalid unless git takes it as the name of a tag. */
export function checkTagName(name: string): void {
  if (!name) throw wrong(t.later('error.tagMissing'));
  if (name.length > 191) throw wrong(t.later('error.tagLong'));
  // A file of that name, and of its lock, has to fit into a folder.
  if (name.split('/').some((part) => Buffer.byteLength(part) > 250)) throw wrong(t.later('error.tagPart'));
  if (!isRefName(name) || name !== storable(name) || name === 'HEAD' || name.startsWith('refs/'))
    throw wrong(t.later('error.tagInvalid', { name }));
}

/** The escape sign of the patterns below; no part of SQL's own. */
export const escapeSign = '!';
const literal = (text: string) => text.replace(/[!%_]/g, '!$&');

/** REL-01 … REL-04: a LIKE pattern in which `*` is any text and all else is itself. */
export const tagPattern = (filter: string): string => filter.toLowerCase().split(/\*+/).map(literal).join('%');

/** A LIKE pattern of what contains the text. */
export const containing = (text: string): string => `%${literal(text.toLowerCase())}%`;
