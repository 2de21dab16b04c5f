/** Keys by which clients know this server. They are made once, whoever of the workers comes first. */
import { createHash, generateKeyPair } from 'node:crypto';
import { chmod, mkdir, readFile } from 'node:fs/promises';
import { basename, dirname, extname, isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';
import { writeDurably } from '@mortise/plugin-sdk';
import type { ParsedKey } from 'ssh2';
import { ssh2 } from './library.js';

export interface HostKey {
  readonly algorithm: string;
  /** `SHA256:…` */
  readonly fingerprint: string;
  /** `algorithm base64`, as in known_hosts. */
  readonly key: string;
  readonly privateKey: string;
}

/** Makes a private key; by the ending of its file's name. */
export const keyGenerators: Readonly<Record<string, () => Promise<string>>> = {
  '.ed25519': async () => readable(() => ssh2().utils.generateKeyPairSync('ed25519', { comment: '' }).private),
  '.ecdsa': async () => readable(() => ssh2().utils.generateKeyPairSync('ecdsa', { bits: 256, comment: '' }).private),
  // takes long, so not on the main thread
  '.rsa': async () => {
    const { privateKey } = await promisify(generateKeyPair)('rsa', {
      modulusLength: 3072,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    });
    return privateKey;
  },
};

/** The library spoils one of some 200 ed25519 keys, whose public half begins with a zero (mscdex/ssh2 issue 1513). */
function readable(make: () => string): string {
  for (;;) {
    const text = make();
    if (privateKeyIn(text)) return text;
  }
}

function privateKeyIn(text: string): ParsedKey | undefined {
  const parsed = ssh2().utils.parseKey(text);
  const key = Array.isArray(parsed) ? parsed[0] : parsed;
  return key && !(key instanceof Error) && key.isPrivateKey() ? key : undefined;
}

export const isPrivateKey = (text: string): boolean => privateKeyIn(text) !== undefined;

export const fingerprintOf = (blob: Buffer): string =>
  `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`;

/** Reads the keys; makes those that are missing and that this server knows how to make. */
export function loadHostKeys(workDir: string, files: readonly string[]): Promise<HostKey[]> {
  return Promise.all(files.map((file) => load(isAbsolute(file) ? file : join(workDir, file))));
}

async function load(path: string): Promise<HostKey> {
  let text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new Error(`the SSH host key ${path} cannot be read: ${error.message}`);
  });
  if (text === undefined) {
    await make(path);
    text = await readFile(path, 'utf8');
  }
  await chmod(path, 0o600).catch(() => undefined); // a mounted secret may not allow it, and is none of our making
  const key = privateKeyIn(text);
  if (!key) throw new Error(`the SSH host key ${path} is no private key that can be used here`);
  const blob = key.getPublicSSH();
  return {
    algorithm: key.type,
    fingerprint: fingerprintOf(blob),
    key: `${key.type} ${blob.toString('base64')}`,
    privateKey: text,
  };
}

/** Whole or not at all, and only one of many: a link cannot replace what is there. */
async function make(path: string): Promise<void> {
  const maker = keyGenerators[extname(path)];
  if (!maker)
    throw new Error(
      `the SSH host key ${path} is missing; name it ${basename(path)}.ed25519 to have one made, or make it with ssh-keygen`,
    );
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeDurably(path, await maker(), { exclusive: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}
