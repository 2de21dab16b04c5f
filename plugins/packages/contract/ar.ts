import { BadRequest } from '@mortise/plugin-sdk';
import type { RandomAccess } from './archives.js';

/** A member of an ar archive, by its place. */
export interface ArMember {
  readonly name: string;
  readonly start: number;
  readonly size: number;
}

const sign = '!<arch>\n';
const headBytes = 60;
const maxMembers = 64;
const broken = (what: string) => BadRequest(`The archive cannot be read: ${what}.`);

/** The members of an ar archive, as Debian uses it: names of at most 16 bytes. */
export async function arMembers(source: RandomAccess): Promise<readonly ArMember[]> {
  const start = source.size < sign.length ? '' : (await source.read(0, sign.length)).toString('latin1');
  if (start !== sign) throw broken('it is no ar, or damaged');
  const members: ArMember[] = [];
  for (let at = sign.length; at < source.size;) {
    if (members.length === maxMembers) throw BadRequest('The archive has too many entries.');
    const head = at + headBytes <= source.size ? (await source.read(at, headBytes)).toString('latin1') : '';
    const size = head.slice(48, 58).trim();
    if (!head.endsWith('`\n') || !/^\d{1,10}$/.test(size)) throw broken('a header is damaged');
    const member = { name: head.slice(0, 16).trimEnd().replace(/\/$/, ''), start: at + headBytes, size: Number(size) };
    if (member.start + member.size > source.size) throw broken('it ends too early');
    members.push(member);
    at = member.start + member.size + (member.size % 2);
  }
  return members;
}
