import { createHmac, randomInt } from 'node:crypto';

/** Without those that are taken for each other. */
const letters = 'abcdefghjkmnpqrstuvwxyz23456789';
const count = 10;

const makeCode = () => {
  const text = Array.from({ length: 10 }, () => letters[randomInt(letters.length)]).join('');
  return `${text.slice(0, 5)}-${text.slice(5)}`;
};

/** Ten codes such as `k7mwp-2rxq9`. */
export const makeCodes = (): string[] => {
  const codes = new Set<string>();
  while (codes.size < count) codes.add(makeCode());
  return [...codes];
};

/** As people type it: in capitals, without the dash, with spaces. Undefined: it cannot be one. */
export function readCode(text: string): string | undefined {
  const plain = text.toLowerCase().replace(/[\s-]/g, '');
  return /^[a-z0-9]{10}$/.test(plain) ? plain : undefined;
}

/** With a secret of the installation, so that who reads the database alone cannot try them all. */
export const hashCode = (key: Buffer, userId: number, plain: string): string =>
  createHmac('sha256', key).update(`${userId}:${plain}`).digest('hex');
