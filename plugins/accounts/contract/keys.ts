import { Joi, defineService, type Actor } from '@mortise/plugin-sdk';
import { userSchema, type Account, type ApiUser } from './account.js';

/** An SSH public key of a user. */
export interface PublicKey {
  readonly id: number;
  readonly userId: number;
  readonly title: string;
  /** `type base64 comment` as given. */
  readonly content: string;
  /** `SHA256:…` */
  readonly fingerprint: string;
  readonly keyType: string;
  readonly readOnly: boolean;
  readonly createdAt: number;
  readonly lastUsedAt: number;
}

export interface ParsedPublicKey {
  /** `type base64 comment`, normalised. */
  readonly content: string;
  /** `ssh-ed25519`, … */
  readonly algorithm: string;
  readonly fingerprint: string;
  readonly comment: string;
}

export interface PublicKeys {
  list(search: {
    userId: number;
    fingerprint?: string;
    limit: number;
    offset: number;
  }): Promise<{ items: PublicKey[]; total: number }>;
  byId(id: number): Promise<PublicKey | undefined>;
  byFingerprint(fingerprint: string): Promise<PublicKey | undefined>;
  add(userId: number, key: { title: string; key: string; readOnly?: boolean }): Promise<PublicKey>;
  remove(id: number): Promise<void>;
  /**
   * Makes the keys of the account exactly those that its login source tells, as lines of `authorized_keys`; one that is
   * refused is left out, and told to the log.
   */
  sync(account: Pick<Account, 'id' | 'name'>, source: string, wanted: readonly string[]): Promise<void>;
  /** Written behind; for transports that authenticate with keys. */
  used(id: number): void;
  /** Checks form, kind and size (LIM-14); throws Invalid. Deploy keys use it too. */
  parse(text: string): ParsedPublicKey;
}
export const publicKeys = defineService<PublicKeys>('accounts.publicKeys');

/** Model `PublicKey` of the REST surface. */
interface ApiPublicKey {
  id: number;
  key: string;
  url: string;
  title: string;
  fingerprint: string;
  created_at: string;
  last_used_at: string;
  user?: ApiUser;
  read_only?: boolean;
  key_type?: string;
}

export const publicKeySchema: Joi.ObjectSchema<object> = Joi.object({
  id: Joi.number().integer(),
  key: Joi.string(),
  url: Joi.string(),
  title: Joi.string(),
  fingerprint: Joi.string(),
  created_at: Joi.string().isoDate(),
  last_used_at: Joi.string().isoDate(),
  user: userSchema.optional(),
  read_only: Joi.boolean(),
  key_type: Joi.string(),
}).label('PublicKey');

/** Makes the answer of the API; only the owner and administrators see whose key it is. */
export type ShowKey = (key: PublicKey, owner: Account | undefined, viewer: Actor) => ApiPublicKey;
export const showKey = defineService<ShowKey>('accounts.showKey');
