import { createHmac } from 'node:crypto';
import type { TestResponse } from '@mortise/plugin-sdk/testing';

/** Public keys that a provider tells of an account. */
export const keys = [
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIhdODPh1ROOEeQDGaMSP8EBVUNJKXVOz2NmKSUQNHLG one',
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ5KYPFGFpRRTfIvHjlkQ8zaV22R9NAOSoDWOwLUiEOa two',
] as const;

/** The content of a page, without its frame. */
export const mainOf = ({ payload }: TestResponse) => /<main[^]*<\/main>/.exec(payload)![0];

/** RFC 6238, of now. */
export function oneTimeCode(secret: string): string {
  const bits = [...secret].map((letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  );
  const key = Buffer.from(
    bits
      .join('')
      .match(/.{8}/g)!
      .map((byte) => parseInt(byte, 2)),
  );
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)));
  const hash = createHmac('sha1', key).update(step).digest();
  const number = hash.readUInt32BE(hash.at(-1)! & 15) & 0x7fffffff;
  return String(number % 1e6).padStart(6, '0');
}
