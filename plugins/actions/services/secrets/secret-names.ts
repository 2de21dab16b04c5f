import { BadRequest } from '@mortise/plugin-sdk';
import { t } from '../../texts/index.js';

const namePattern = /^[A-Z_][A-Z0-9_]{0,254}$/;
const reservedNames = /^(?:CI$|GITEA_|GITHUB_|MORTISE_)/;
const maxBytes = 65_536;

/** Secrets and variables are named in capitals, however they were written. */
export const nameOf = (given: string): string => given.toUpperCase();

/** The name as it is stored; BadRequest for what cannot be one. */
export function checkedName(given: string): string {
  const name = nameOf(given);
  if (!namePattern.test(name) || reservedNames.test(name))
    throw BadRequest(t.later('error.actionName', { name: given }));
  return name;
}

/** BadRequest for more than 65536 bytes. */
export function checkedValue(value: string): string {
  if (Buffer.byteLength(value) > maxBytes) throw BadRequest(t.later('error.actionValue', { max: maxBytes }));
  return value;
}

/** Cut to 4096 characters, and never between the halves of one. */
export const cutDescription = (text: string | null | undefined): string =>
  [...(text ?? '').slice(0, 8192)].slice(0, 4096).join('');

/** Line ends are `\n`, whoever wrote them. */
export const withUnixLineEnds = (text: string): string => text.replace(/\r\n?/g, '\n');
