/**
 * The public contract of `signatures`: keys that people sign with, and the key that the site signs with. What
 * signatures prove is asked of `commitVerification` of contents.
 */
import { defineService } from '@mortise/plugin-sdk';
import type { SignedObject } from '@mortise/history/api';

/** One key packet: the primary key, or a subkey of it. Times are milliseconds since 1970 UTC; 0: never. */
export interface GpgKeyPart {
  readonly id: number;
  /** 16 hex digits, upper case. */
  readonly keyId: string;
  /** Hex, upper case. */
  readonly fingerprint: string;
  /** The key packet, base64. */
  readonly publicKey: string;
  readonly canSign: boolean;
  readonly canEncryptComms: boolean;
  readonly canEncryptStorage: boolean;
  readonly canCertify: boolean;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface GpgKey extends GpgKeyPart {
  readonly userId: number;
  readonly armored: string;
  /** Addresses that the key names, whosever they are. */
  readonly emails: readonly string[];
  /** The owner has proven to hold the private half. */
  readonly verified: boolean;
  readonly addedAt: number;
  readonly subkeys: readonly GpgKeyPart[];
}

export interface GpgKeys {
  list(search: { userId: number; limit: number; offset: number }): Promise<{ items: GpgKey[]; total: number }>;
  byId(id: number): Promise<GpgKey | undefined>;
  /** Keys by the id of the key itself or of a subkey; one batch of queries. */
  byKeyIds(keyIds: readonly string[]): Promise<GpgKey[]>;
  /**
   * Reads and stores; Invalid for what is no key or in use, NotFound when no address of the key is a verified one of
   * the account and no signature of {@link token} is given.
   */
  add(userId: number, armored: string, signature?: string): Promise<GpgKey[]>;
  /** Marks the key as proven; Invalid unless the signature covers the token. */
  prove(userId: number, keyId: string, signature: string): Promise<GpgKey>;
  /** The text to sign, good for some minutes. */
  token(userId: number): string;
  remove(id: number): Promise<void>;
}
export const gpgKeys = defineService<GpgKeys>('signatures.gpgKeys');

/** What the site is about to commit. */
export interface SigningRequest {
  readonly action: 'initial' | 'crud' | 'wiki' | 'merge';
  /** On whose behalf. */
  readonly actorId: number;
  /** Present commits that the rules look at: the parents; for merges the base first, then the head. */
  readonly parents: readonly SignedObject[];
  /** Commits that a merge brings in, read when a rule asks for them; undefined: too many to look at. */
  readonly commits?: () => Promise<readonly SignedObject[] | undefined>;
}

/** The key of the site (`[repository.signing]`). */
export interface ServerSigning {
  /**
   * Should this commit be signed? Who then signs: use it as the committer; undefined: leave it unsigned.
   * `sign` takes the bytes of the commit without its signature and gives the armoured signature.
   */
  signer(
    request: SigningRequest,
  ): Promise<
    | { readonly name: string; readonly email: string; readonly sign: (payload: string | Buffer) => Promise<string> }
    | undefined
  >;
  /** The public half as it is handed out; undefined: there is none of that kind. */
  publicKey(format: 'openpgp' | 'ssh'): Promise<string | undefined>;
}
export const serverSigning = defineService<ServerSigning>('signatures.serverSigning');
