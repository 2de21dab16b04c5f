import { createPrivateKey, createSign, generateKeyPair, sign } from 'node:crypto';
import { createRequire } from 'node:module';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import type { Database, Locks, Site, Encryption } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import type { SigningKeys } from '../api.js';
import type { OpenPgpKey, RsaKey } from '../contract/keys.js';
import { SigningKeyRow } from '../models/signing-key.js';
import { collect } from './request-body.js';

const require = createRequire(import.meta.url);
/** Reading it costs 60 ms, so the start does not wait for it. */
const openpgp = () => require('openpgp') as typeof import('openpgp');

const plain = (text: string) => text.replace(/\r\n/g, '\n');

/**
 * What OpenPGP signs at once: the library has the runtime sign bytes, but signs streams by itself, which keeps the event
 * loop for a tenth of a second.
 */
const maxWhole = 1024 * 1024;

/** The bytes of a stream that is short; of another, a stream of all of it. */
async function wholeOrRest(content: Readable): Promise<Buffer | Readable> {
  const source = (content as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  const pieces: Buffer[] = [];
  for (let size = 0; size <= maxWhole; size += pieces.at(-1)!.length) {
    const { done, value } = await source.next();
    if (done) return Buffer.concat(pieces);
    pieces.push(value);
  }
  const all = async function* () {
    try {
      yield* pieces;
      yield* { [Symbol.asyncIterator]: () => source };
    } finally {
      // also where the reader stops before the end
      content.destroy();
    }
  };
  return Readable.from(all(), { objectMode: false });
}

export class Keys implements SigningKeys {
  constructor(
    private readonly database: Database,
    private readonly locks: Locks,
    private readonly site: Site,
    private readonly encryption: Encryption,
    private readonly rsaBits: number,
  ) {}

  /** One after the other: each keeps a thread of the runtime for a while, of which there are few. */
  #making: Promise<unknown> = Promise.resolve();

  #inTurn<T>(make: () => Promise<T>): Promise<T> {
    const made = this.#making.then(make);
    this.#making = made.catch(() => undefined);
    return made;
  }

  async openPgp(owner: Account, type: string): Promise<OpenPgpKey> {
    const { public_key: publicKey, sealed_key: sealed } = await this.need(owner, type, 'openpgp', async () => {
      const made = await openpgp().generateKey({
        type: 'rsa',
        rsaBits: this.rsaBits,
        // nothing is encrypted for it, and a second key takes as long to create
        subkeys: [],
        userIDs: [{ name: `${this.site.name} ${type} registry of ${owner.name}` }],
        format: 'armored',
      });
      return { publicKey: plain(made.publicKey), privateKey: made.privateKey };
    });
    const library = openpgp();
    const key = await library.readPrivateKey({ armoredKey: this.encryption.decrypt(sealed) });
    const config = { preferredHashAlgorithm: library.enums.hash.sha256 };
    const signed = async (content: Buffer | Readable, form: 'armored' | 'binary'): Promise<string | Buffer> => {
      const whole = content instanceof Readable ? await wholeOrRest(content) : content;
      if (whole instanceof Readable) {
        const message = await library.createMessage({ binary: Readable.toWeb(whole) as ReadableStream<Uint8Array> });
        const made = await library.sign({ message, signingKeys: key, detached: true, config, format: 'binary' });
        return collect(Readable.fromWeb(made as Parameters<typeof Readable.fromWeb>[0]), 0);
      }
      const message = await library.createMessage({ binary: new Uint8Array(whole) });
      const deps = { message, signingKeys: key, detached: true, config } as const;
      return form === 'armored'
        ? plain(await library.sign({ ...deps, format: 'armored' }))
        : Buffer.from(await library.sign({ ...deps, format: 'binary' }));
    };
    return {
      publicKey,
      fingerprint: key.getFingerprint().toUpperCase(),
      sign: signed as OpenPgpKey['sign'],
      signClear: async (text) => {
        const message = await library.createCleartextMessage({ text });
        return plain(await library.sign({ message, signingKeys: key, config }));
      },
    };
  }

  async rsa(owner: Account, type: string): Promise<RsaKey> {
    const { public_key: publicKey, sealed_key: sealed } = await this.need(owner, type, 'rsa', () =>
      promisify(generateKeyPair)('rsa', {
        modulusLength: this.rsaBits,
        publicKeyEncoding: { type: 'spki', format: 'pem' },
        privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      }),
    );
    const key = createPrivateKey(this.encryption.decrypt(sealed));
    return {
      publicKey,
      sign: async (content, digest) => {
        if (Buffer.isBuffer(content))
          return new Promise<Buffer>((resolve, reject) =>
            sign(digest, content, key, (error, signature) => (error ? reject(error) : resolve(signature))),
          );
        const signer = createSign(digest);
        for await (const piece of content as AsyncIterable<Buffer>) signer.update(piece);
        return signer.sign(key);
      },
    };
  }

  private async need(
    owner: Account,
    type: string,
    kind: SigningKeyRow['kind'],
    make: () => Promise<{ publicKey: string; privateKey: string }>,
  ): Promise<SigningKeyRow> {
    const which = { owner_id: owner.id, type, kind };
    const find = () => this.database.query(SigningKeyRow).findOne(which);
    const key = await find();
    if (key) return key;
    return this.locks.hold(`packages.key.${type}.${owner.id}`, async () => {
      const before = await find();
      if (before) return before;
      const { publicKey, privateKey } = await this.#inTurn(make);
      const sealed_key = this.encryption.encrypt(privateKey);
      return this.database.write(() =>
        this.database
          .query(SigningKeyRow)
          .insertAndFetch({ ...which, public_key: publicKey, sealed_key, created_at: Date.now() }),
      );
    });
  }

  /** Deletes the keys of a deleted owner. */
  async forget(ownerId: number): Promise<void> {
    await this.database.write(() => this.database.query(SigningKeyRow).delete().where('owner_id', ownerId));
  }
}
