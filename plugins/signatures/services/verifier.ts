import type { Key, Signature } from 'openpgp';
import type { Cache, QueryCache, MemoryCache } from '@mortise/plugin-sdk';
import type { Account, Accounts, PublicKey, PublicKeys } from '@mortise/accounts/api';
import type { SignatureVerifier, SignedObject, SignatureVerification } from '@mortise/history/api';
import type { GpgKey, GpgKeys } from '../contract/signatures.js';
import { checkPgp, issuers, parsePgpSignature, readArmored, type CheckResult } from './openpgp-check.js';
import type { ServerKey } from './server-key.js';
import { checkSsh, parseSshSignature, type SshSignature } from './ssh-signature.js';

/** Longer ones are no addresses; they would fill the memory that keeps who is who. */
const maxEmailLength = 254;

/** Reasons that programs know. */
export const reasons = {
  unreadable: 'gpg.error.extract_sign',
  noKey: 'gpg.error.no_gpg_keys_found',
  noAccount: 'gpg.error.no_committer_account',
  bad: 'gpg.error.probable_bad_signature',
  revoked: 'gpg.error.revoked_key',
  expired: 'gpg.error.expired_key',
} as const;

interface Parsed {
  readonly pgp?: { readonly signature: Signature; readonly issuers: readonly string[] };
  readonly ssh?: SshSignature;
  /** Of a kind that is not known here. */
  readonly foreign: boolean;
}

const signedBytes = ({ payload = '', payloadBytes }: SignedObject): Buffer => payloadBytes ?? Buffer.from(payload);

interface Item extends Parsed {
  readonly object: SignedObject;
  readonly email: string;
}

async function parse(text: string): Promise<Parsed> {
  if (text.startsWith('-----BEGIN SSH SIGNATURE-----')) return { ssh: parseSshSignature(text), foreign: false };
  if (!/^-----BEGIN PGP (SIGNATURE|MESSAGE)-----/.test(text)) return { foreign: true };
  const signature = await parsePgpSignature(text);
  return { pgp: signature && { signature, issuers: issuers(signature) }, foreign: false };
}

type CheckedSignature = Pick<SignatureVerification, 'verified' | 'reason' | 'signer'>;

/** Whose key it was; without `userId` that of the site, or one that its operator named. */
interface SignedBy {
  readonly userId?: number;
  readonly isCommitter: boolean;
}

type Outcome = CheckedSignature & { readonly by?: SignedBy };

export interface Finding {
  readonly verification: SignatureVerification;
  /** Of good signatures. */
  readonly by?: SignedBy;
}

const refused = (reason: string): Outcome => ({ verified: false, reason, signer: null });

interface Deps {
  readonly accounts: Accounts;
  readonly publicKeys: PublicKeys;
  readonly gpgKeys: GpgKeys;
  readonly serverKey: ServerKey;
  readonly cache: Cache;
}

/**
 * What OpenPGP and SSH signatures prove (CNT-05, CNT-15): that the committer's address belongs to an account here, which
 * has not only said so (S10), and that a key of this account signed. Whether a key signed an object never changes and is remembered; whose key it is
 * is looked up again whenever anything was committed to the database.
 */
export class Verifier implements Pick<SignatureVerifier, 'verify'> {
  readonly #parsed: MemoryCache<Parsed>;
  readonly #checks: MemoryCache<CheckResult>;
  readonly #parsedKeys: MemoryCache<Key>;
  readonly #gpg: QueryCache<readonly GpgKey[]>;
  readonly #ssh: QueryCache<PublicKey | undefined>;
  readonly #accountsByEmail: QueryCache<ReadonlyMap<string, Account>>;
  readonly #owning: QueryCache<ReadonlyMap<number, Account>>;

  constructor(private readonly deps: Deps) {
    this.#parsed = deps.cache.memory('signatures.parsed');
    this.#checks = deps.cache.memory('signatures.checks');
    this.#parsedKeys = deps.cache.memory('signatures.keys');
    this.#gpg = deps.cache.query('signatures.gpg');
    this.#ssh = deps.cache.query('signatures.ssh');
    this.#accountsByEmail = deps.cache.query('signatures.accounts');
    this.#owning = deps.cache.query('signatures.owners');
  }

  async verify(objects: readonly SignedObject[]): Promise<(SignatureVerification | undefined)[]> {
    return (await this.find(objects)).map((finding) => finding?.verification);
  }

  /** `ofAnybody`: a good signature counts also when it is not the committer's. */
  async find(
    objects: readonly SignedObject[],
    { ofAnybody = false }: { readonly ofAnybody?: boolean } = {},
  ): Promise<(Finding | undefined)[]> {
    const items = await Promise.all(objects.map((object) => this.#read(object)));
    const [users, gpg, ssh] = await Promise.all([this.#accounts(items), this.#gpgKeys(items), this.#sshKeys(items)]);
    const owners = ofAnybody ? await this.#owners(gpg, ssh) : new Map<string, Account>();
    return Promise.all(
      items.map(async (item) => {
        if (item.foreign) return undefined;
        const committer = users.get(item.email.toLowerCase());
        const own = await this.#check(item, committer, gpg, ssh);
        const others = !own.verified && owners.size > 0;
        const { by, ...proof } = (others && (await this.#byOwner(item, committer, owners, gpg))) || own;
        const { signature = '', payload = '' } = item.object;
        return { verification: { ...proof, signature, payload }, by };
      }),
    );
  }

  async #read(object: SignedObject): Promise<Item> {
    const said = ('committer' in object ? object.committer : object.tagger)?.email ?? '';
    const email = said.length > maxEmailLength ? '' : said;
    const text = object.signature?.trimStart() ?? '';
    const parsed = await this.#parsed.load(object.oid, () => parse(text), { size: () => 1024 + 2 * text.length });
    return { object, email, ...parsed };
  }

  #accounts(items: readonly Item[]): Promise<ReadonlyMap<string, Account>> {
    const emails = [...new Set(items.map((item) => item.email.toLowerCase()))].filter(Boolean).sort();
    return this.#accountsByEmail.load(emails.join('\n'), () => this.deps.accounts.byConfirmedEmails(emails));
  }

  #gpgKeys(items: readonly Item[]): Promise<readonly GpgKey[]> {
    const ids = [...new Set(items.flatMap((item) => item.pgp?.issuers ?? []))].sort();
    return this.#gpg.load(ids.join(' '), () => this.deps.gpgKeys.byKeyIds(ids));
  }

  /** Who speaks through the keys, by fingerprint; a key that is not proven has to name an address of its owner. */
  async #owners(gpg: readonly GpgKey[], ssh: ReadonlyMap<string, PublicKey>): Promise<ReadonlyMap<string, Account>> {
    const keys = [...gpg, ...ssh.values()];
    const ids = [...new Set(keys.map((key) => key.userId))];
    const claimed = gpg.filter((key) => !key.verified).flatMap((key) => key.emails.map((one) => one.toLowerCase()));
    const emails = [...new Set(claimed)].sort();
    if (ids.length === 0) return new Map();
    const [users, named] = await Promise.all([
      this.#owning.load(ids.sort().join(' '), () => this.deps.accounts.byIds(ids)),
      this.#accountsByEmail.load(emails.join('\n'), () => this.deps.accounts.byConfirmedEmails(emails)),
    ]);
    const speaks = (key: GpgKey | PublicKey) =>
      !('emails' in key) ||
      key.verified ||
      key.emails.some((email) => named.get(email.toLowerCase())?.id === key.userId);
    return new Map(
      keys.filter(speaks).flatMap((key) => {
        const owner = users.get(key.userId);
        return owner ? [[key.fingerprint, owner] as const] : [];
      }),
    );
  }

  async #sshKeys(items: readonly Item[]): Promise<ReadonlyMap<string, PublicKey>> {
    const prints = [...new Set(items.flatMap((item) => item.ssh?.fingerprint ?? []))];
    const keys = await Promise.all(
      prints.map((print) => this.#ssh.load(print, () => this.deps.publicKeys.byFingerprint(print))),
    );
    return new Map(keys.flatMap((key) => (key ? [[key.fingerprint, key] as const] : [])));
  }

  async #check(
    item: Item,
    account: Account | undefined,
    gpg: readonly GpgKey[],
    ssh: ReadonlyMap<string, PublicKey>,
  ): Promise<Outcome> {
    if (!item.pgp && !item.ssh) return refused(reasons.unreadable);
    const trusted = await this.#byServer(item);
    if (trusted) return trusted;
    if (!account) return refused(reasons.noAccount);
    return item.pgp
      ? this.#verifyPgp(item, item.pgp, account, gpg)
      : this.#verifySsh(item, item.ssh!, account, ssh.get(item.ssh!.fingerprint));
  }

  async #verifyPgp(
    item: Item,
    { signature, issuers: ids }: NonNullable<Item['pgp']>,
    account: Account,
    keys: readonly GpgKey[],
  ): Promise<Outcome> {
    let worst: string = reasons.noKey;
    for (const key of keys) {
      const part = [key, ...key.subkeys].find((one) => ids.includes(one.keyId));
      if (!part || key.userId !== account.id || !this.#namesCommitter(key, item.email, account)) continue;
      const result = await this.#checkKey(item, signature, key);
      if (result === 'good') return this.#good(account, item.email, part.keyId, true);
      worst = reasons[result];
    }
    return refused(worst);
  }

  #checkKey(item: Item, signature: Signature, key: GpgKey): Promise<CheckResult> {
    return this.#checks.load(`${item.object.oid} pgp ${key.id}`, async () =>
      checkPgp(
        signedBytes(item.object),
        signature,
        await this.#parsedKeys.load(String(key.id), () => readArmored(key.armored)),
      ),
    );
  }

  /** By a key of any account here, which need not be the committer's. */
  async #byOwner(
    item: Item,
    committer: Account | undefined,
    owners: ReadonlyMap<string, Account>,
    gpg: readonly GpgKey[],
  ): Promise<Outcome | undefined> {
    const good = (owner: Account, id: string) =>
      this.#good(owner, this.deps.accounts.commitEmail(owner), id, owner.id === committer?.id);
    const { pgp, ssh } = item;
    if (ssh) {
      const owner = owners.get(ssh.fingerprint);
      return owner && (await this.#checkSsh(item, ssh)) ? good(owner, ssh.fingerprint) : undefined;
    }
    for (const key of pgp ? gpg : []) {
      const part = [key, ...key.subkeys].find((one) => pgp!.issuers.includes(one.keyId));
      const owner = owners.get(key.fingerprint);
      if (part && owner && (await this.#checkKey(item, pgp!.signature, key)) === 'good') return good(owner, part.keyId);
    }
    return undefined;
  }

  /** A key that is not proven speaks only for the addresses that it names. */
  #namesCommitter(key: GpgKey, email: string, account: Account): boolean {
    const lower = email.toLowerCase();
    const named = (address: string) => key.emails.some((one) => one.toLowerCase() === address);
    const hidden =
      lower === this.deps.accounts.commitEmail(account).toLowerCase() && named(account.email.toLowerCase());
    return key.verified || named(lower) || hidden;
  }

  async #verifySsh(item: Item, ssh: SshSignature, account: Account, key: PublicKey | undefined): Promise<Outcome> {
    if (!key || key.userId !== account.id) return refused(reasons.noKey);
    return (await this.#checkSsh(item, ssh))
      ? this.#good(account, item.email, key.fingerprint, true)
      : refused(reasons.bad);
  }

  async #checkSsh(item: Item, ssh: SshSignature): Promise<boolean> {
    const result = await this.#checks.load(`${item.object.oid} ssh`, async () =>
      checkSsh(signedBytes(item.object), ssh) ? 'good' : 'bad',
    );
    return result === 'good';
  }

  /** By the site's own key, or one that the operator trusts: for any committer. */
  async #byServer(item: Item): Promise<Outcome | undefined> {
    const { serverKey } = this.deps;
    if (item.ssh) {
      if (!(await serverKey.trustsSsh(item.ssh.publicKey)) || !(await this.#checkSsh(item, item.ssh))) return undefined;
    } else if (item.pgp) {
      const key = await serverKey.pgpFor(item.pgp.issuers);
      if (!key) return undefined;
      const { signature } = item.pgp;
      const result = await this.#checks.load(`${item.object.oid} server`, () =>
        checkPgp(signedBytes(item.object), signature, key),
      );
      if (result !== 'good') return undefined;
    }
    const { name, email } = await serverKey.identity();
    const id = item.ssh?.fingerprint ?? item.pgp?.issuers[0] ?? '';
    const isCommitter =
      item.email.toLowerCase() === email.toLowerCase() || (item.ssh ? serverKey.isNamed(item.ssh.publicKey) : false);
    return {
      verified: true,
      reason: `${name} / ${id}`,
      signer: { name, email, username: '' },
      by: { isCommitter },
    };
  }

  #good(account: Account, email: string, id: string, isCommitter: boolean): Outcome {
    return {
      verified: true,
      reason: `${account.name} / ${id}`,
      signer: { name: account.fullName || account.name, email, username: account.name },
      by: { userId: account.id, isCommitter },
    };
  }
}
