import { definePoint, defineService, type Keyed } from '@mortise/plugin-sdk';
import type { AnnotatedTag, Commit } from '@mortise/git/api';
import type { Repository } from '@mortise/repositories/api';

export type SignedObject = Pick<Commit, 'oid' | 'signature' | 'payload' | 'payloadBytes' | 'committer'> | AnnotatedTag;

/** Model `PayloadCommitVerification` of the REST surface. */
export interface SignatureVerification {
  readonly verified: boolean;
  /** A word for programs: `gpg.error.not_signed_commit`, or what the signature proves. */
  readonly reason: string;
  readonly signature: string;
  readonly payload: string;
  readonly signer: { readonly name: string; readonly email: string; readonly username: string } | null;
}

/**
 * What the trust model of a repository makes of a signature by a known key: trusted, or of somebody whom the repository
 * does not trust; `unmatched` when this is not the committer either.
 */
export type Trust = 'trusted' | 'untrusted' | 'unmatched';

/** A verification for the pages of a repository. Here `verified` holds also when another than the committer signed. */
export interface TrustedVerification extends SignatureVerification {
  readonly trust?: Trust;
}

/** Extension point: tells what signatures prove. The first that answers for an object wins. */
export interface SignatureVerifier extends Keyed {
  readonly order?: number;
  /** One answer for each object, in order; undefined: cannot tell. Only signed objects are asked about. */
  verify(objects: readonly SignedObject[]): Promise<readonly (SignatureVerification | undefined)[]>;
  /** The same for pages, with the trust of the repository; without it they show what `verify` tells. */
  verifyWithTrust?(
    repository: Repository,
    objects: readonly SignedObject[],
  ): Promise<readonly (TrustedVerification | undefined)[]>;
}
export const signatureVerifiers = definePoint.keyed<SignatureVerifier>('history.signatureVerifiers');

export interface CommitVerification {
  /** One answer for each object, in order; also for those that are not signed. */
  verify(objects: readonly SignedObject[]): Promise<SignatureVerification[]>;
  /** The same for pages, with the trust of the repository. */
  verifyWithTrust(repository: Repository, objects: readonly SignedObject[]): Promise<TrustedVerification[]>;
}
export const commitVerification = defineService<CommitVerification>('history.commitVerification');
