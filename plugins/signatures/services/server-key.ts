import { createPrivateKey, sign as signBytes, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Key, PrivateKey } from 'openpgp';
import type { SigningSettings } from '../settings.js';
import { openpgp, ssh2 } from './library.js';
import { sshField, sshFingerprint, sshSignedData } from './ssh-signature.js';

type Loaded =
  | { readonly kind: 'none' }
  | { readonly kind: 'openpgp'; readonly key: PrivateKey; readonly publicKey: Key }
  | { readonly kind: 'ssh'; readonly key: KeyObject; readonly publicKey: Buffer; readonly line: string };

/** The key that the site signs with, read from its file when first needed. */
export class ServerKey {
  #loaded: Promise<Loaded> | undefined;
  readonly #trusted: ReadonlySet<string>;

  constructor(
    private readonly settings: SigningSettings,
    private readonly site: { readonly name: string; readonly rootUrl: string; readonly workDir: string },
  ) {
    const lines = settings.TRUSTED_SSH_KEYS.split(',').map((line) => line.trim().split(/\s+/)[1] ?? '');
    this.#trusted = new Set(lines.filter(Boolean));
  }

  load(): Promise<Loaded> {
    return (this.#loaded ??= this.#read());
  }

  async #read(): Promise<Loaded> {
    const { SIGNING_KEY, SIGNING_FORMAT } = this.settings;
    if (SIGNING_KEY === 'none' || SIGNING_KEY === 'default') return { kind: 'none' };
    const text = await readFile(resolve(this.site.workDir, SIGNING_KEY), 'utf8');
    if (SIGNING_FORMAT === 'openpgp') {
      const key = await openpgp().readPrivateKey({ armoredKey: text });
      if (!key.isDecrypted()) throw new Error('[repository.signing] SIGNING_KEY must not need a passphrase');
      return { kind: 'openpgp', key, publicKey: key.toPublic() };
    }
    const parsed = ssh2().utils.parseKey(text);
    if (parsed instanceof Error || !parsed.isPrivateKey())
      throw new Error('[repository.signing] SIGNING_KEY is no SSH private key without a passphrase');
    const publicKey = parsed.getPublicSSH();
    const line = `${parsed.type} ${publicKey.toString('base64')}`;
    return { kind: 'ssh', key: createPrivateKey(parsed.getPrivatePEM()), publicKey, line };
  }

  async publicKey(format: 'openpgp' | 'ssh'): Promise<string | undefined> {
    const loaded = await this.load();
    if (loaded.kind !== format) return undefined;
    return loaded.kind === 'openpgp' ? loaded.publicKey.armor() : `${(loaded as Loaded & { line: string }).line}\n`;
  }

  /** The site's OpenPGP key when one of these key ids is its. */
  async pgpFor(keyIds: readonly string[]): Promise<Key | undefined> {
    const loaded = await this.load();
    if (loaded.kind !== 'openpgp') return undefined;
    const own = loaded.publicKey.getKeyIDs().map((id) => id.toHex().toUpperCase());
    return own.some((id) => keyIds.includes(id)) ? loaded.publicKey : undefined;
  }

  /** Named by the operator: it speaks for any committer. */
  isNamed(publicKey: Buffer): boolean {
    return this.#trusted.has(publicKey.toString('base64'));
  }

  async trustsSsh(publicKey: Buffer): Promise<boolean> {
    if (this.isNamed(publicKey)) return true;
    const loaded = await this.load();
    return loaded.kind === 'ssh' && loaded.publicKey.equals(publicKey);
  }

  async identity(): Promise<{ name: string; email: string }> {
    const loaded = await this.load();
    const user = loaded.kind === 'openpgp' ? loaded.key.users.find((one) => one.userID)?.userID : undefined;
    return {
      name: this.settings.SIGNING_NAME || user?.name || this.site.name,
      email: this.settings.SIGNING_EMAIL || user?.email || `noreply@${new URL(this.site.rootUrl).hostname}`,
    };
  }

  /** What identifies the key to people. */
  async id(): Promise<string | undefined> {
    const loaded = await this.load();
    if (loaded.kind === 'none') return undefined;
    return loaded.kind === 'ssh' ? sshFingerprint(loaded.publicKey) : loaded.key.getKeyID().toHex().toUpperCase();
  }

  async sign(payload: string | Buffer): Promise<string> {
    const loaded = await this.load();
    const bytes = Buffer.from(payload as string);
    if (loaded.kind === 'openpgp') {
      const message = await openpgp().createMessage({ binary: new Uint8Array(bytes) });
      const armored = await openpgp().sign({ message, signingKeys: loaded.key, detached: true, format: 'armored' });
      return armored.replace(/\r\n/g, '\n');
    }
    if (loaded.kind === 'ssh') return signSsh(bytes, loaded);
    throw new Error('there is no signing key');
  }
}

function signSsh(message: Buffer, { key, publicKey }: Extract<Loaded, { kind: 'ssh' }>): string {
  const deps = { namespace: 'git', reserved: Buffer.alloc(0), hash: 'sha512' } as const;
  const data = sshSignedData(message, deps);
  const kind = publicKey.subarray(4, 4 + publicKey.readUInt32BE()).toString('latin1');
  const algorithm = kind === 'ssh-rsa' ? 'rsa-sha2-512' : kind;
  const hash = { nistp256: 'sha256', nistp384: 'sha384', nistp521: 'sha512' }[kind.split('-').at(-1) ?? ''];
  const raw = signBytes(kind === 'ssh-rsa' ? 'sha512' : (hash ?? null), data, { key, dsaEncoding: 'ieee-p1363' });
  const body = hash ? Buffer.concat([raw.subarray(0, raw.length / 2), raw.subarray(raw.length / 2)].map(integer)) : raw;
  const version = Buffer.from([0, 0, 0, 1]);
  const blob = Buffer.concat([
    Buffer.from('SSHSIG'),
    version,
    ...[publicKey, deps.namespace, deps.reserved, deps.hash].map(sshField),
    sshField(Buffer.concat([sshField(algorithm), sshField(body)])),
  ]);
  const lines = blob.toString('base64').match(/.{1,70}/g) ?? [];
  return `-----BEGIN SSH SIGNATURE-----\n${lines.join('\n')}\n-----END SSH SIGNATURE-----\n`;
}

/** A positive integer as SSH writes it: no needless zeros, none that could be read as a sign. */
function integer(bytes: Buffer): Buffer {
  const start = bytes.findIndex((byte) => byte !== 0);
  const bare = start < 0 ? Buffer.alloc(0) : bytes.subarray(start);
  return sshField((bare[0] ?? 0) & 0x80 ? Buffer.concat([Buffer.alloc(1), bare]) : bare);
}
