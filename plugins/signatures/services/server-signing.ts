import type { PublicKeys } from '@mortise/accounts/api';
import type { SignatureVerifier, SignedObject } from '@mortise/history/api';
import type { GpgKeys, ServerSigning, SigningRequest } from '../contract/signatures.js';
import type { SigningSettings } from '../settings.js';
import type { ServerKey } from './server-key.js';

interface Deps {
  readonly serverKey: ServerKey;
  readonly settings: SigningSettings;
  readonly gpgKeys: GpgKeys;
  readonly publicKeys: PublicKeys;
  readonly verifier: Pick<SignatureVerifier, 'verify'>;
}

/** Decides by the rules of `[repository.signing]` whether the site signs what it commits. */
export class ServerSigner implements ServerSigning {
  constructor(private readonly deps: Deps) {}

  publicKey(format: 'openpgp' | 'ssh'): Promise<string | undefined> {
    return this.deps.serverKey.publicKey(format);
  }

  async signer(request: SigningRequest): ReturnType<ServerSigning['signer']> {
    const { serverKey, settings } = this.deps;
    if ((await serverKey.id()) === undefined) return undefined;
    const words = {
      initial: settings.INITIAL_COMMIT,
      crud: settings.CRUD_ACTIONS,
      wiki: settings.WIKI,
      merge: settings.MERGES,
    }[request.action];
    for (const word of words.split(',').map((one) => one.trim()))
      if (!(await this.#holds(word, request))) return undefined;
    return { ...(await serverKey.identity()), sign: (payload) => serverKey.sign(payload) };
  }

  async #holds(word: string, { actorId, parents, commits }: SigningRequest): Promise<boolean> {
    switch (word) {
      case 'always':
        return true;
      case 'pubkey':
        return this.#hasKey(actorId);
      case 'parentsigned':
        return this.#allVerified(parents);
      case 'basesigned':
        return this.#allVerified(parents.slice(0, 1));
      case 'headsigned':
        return this.#allVerified(parents.slice(-1));
      case 'commitssigned':
        return this.#allVerified(commits ? await commits() : []);
      default:
        // `never`; and what nothing here can tell yet: a second factor, an approval.
        return false;
    }
  }

  async #hasKey(userId: number): Promise<boolean> {
    const one = { userId, limit: 1, offset: 0 };
    if ((await this.deps.gpgKeys.list(one)).total > 0) return true;
    return (await this.deps.publicKeys.list(one)).total > 0;
  }

  async #allVerified(objects: readonly SignedObject[] | undefined): Promise<boolean> {
    if (!objects || objects.some((object) => !object.signature)) return false;
    return (await this.deps.verifier.verify(objects)).every((one) => one?.verified === true);
  }
}
