import type { Readable } from 'node:stream';
import { defineService, type Actor } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';

/** An OpenPGP key (RSA) of an owner for one format. */
export interface OpenPgpKey {
  /** Armored. */
  readonly publicKey: string;
  /** Upper-case hex. */
  readonly fingerprint: string;
  /** A detached signature: armored, or the packets themselves. */
  sign(content: Buffer, form: 'armored'): Promise<string>;
  sign(content: Buffer | Readable, form: 'binary'): Promise<Buffer>;
  /** The text with its signature around it. */
  signClear(text: string): Promise<string>;
}

/** A plain RSA key of an owner for one format. */
export interface RsaKey {
  /** SPKI, PEM. */
  readonly publicKey: string;
  /** PKCS#1 v1.5. */
  sign(content: Buffer | Readable, digest: 'sha1' | 'sha256' | 'sha512'): Promise<Buffer>;
}

/** Keys that sign indexes: one per owner and format, created on first use, stored encrypted. They never change. */
export interface SigningKeys {
  openPgp(owner: Account, type: string): Promise<OpenPgpKey>;
  rsa(owner: Account, type: string): Promise<RsaKey>;
}
export const signingKeys = defineService<SigningKeys>('packages.signingKeys');

/** Short-lived credentials for clients that exchange theirs for a token (containers, Conan); good for registries only. */
export interface PackageTokens {
  /**
   * A signed token for this actor with its scopes, valid for `seconds`: at most so many, and no longer than the actor's own
   * credential; an anonymous token for an anonymous actor.
   */
  issue(actor: Actor, maxSeconds: number): { readonly token: string; readonly seconds: number };
}
export const packageTokens = defineService<PackageTokens>('packages.tokens');
