import { definePoint, defineService, type Keyed, type Knex } from '@mortise/plugin-sdk';

/** What is stored for owners, each by one name; the names are those of Forgejo's quotas. */
export type StoredSubject =
  | 'size:repos:public'
  | 'size:repos:private'
  | 'size:git:lfs'
  | 'size:wiki'
  | 'size:assets:attachments:issues'
  | 'size:assets:attachments:releases'
  | 'size:assets:artifacts'
  | 'size:assets:packages:all';

/** Extension point: what a plugin stores for owners. */
export interface StoredBytes extends Keyed {
  /**
   * A statement on indexed columns that gives rows of two columns, `subject` (a {@link StoredSubject}; the same one may
   * come several times) and `bytes`.
   */
  count(knex: Knex, ownerId: number): Knex.QueryBuilder;
}
export const storedBytes = definePoint.keyed<StoredBytes>('accounts.storedBytes');

/** Whoever stores bytes for an owner, an account of a person or an organization, asks here whether they have room. */
export interface OwnerQuota {
  /** Something may refuse; while it is false nobody needs to find out whose bytes they are. */
  readonly isLimited: boolean;
  /**
   * Before content is read, so that nothing is taken in that will be refused. It reserves nothing.
   *
   * @param bytes that will come, as far as that is known; 0: refused only where nothing more fits
   * @throws TooLarge (413)
   */
  check(ownerId: number, subject: StoredSubject, bytes: number): Promise<void>;
  /**
   * In the transaction that stores, before its rows are written: waits for others that store for the owner, so that two of
   * them do not both take the last room.
   *
   * @throws TooLarge (413)
   */
  checkAndLock(ownerId: number, subject: StoredSubject, bytes: number): Promise<void>;
}
export const ownerQuota = defineService<OwnerQuota>('accounts.ownerQuota');

/** Extension point: what limits how much is stored for owners. */
export type StorageLimit = Keyed & Pick<OwnerQuota, 'check' | 'checkAndLock'>;
export const storageLimits = definePoint.keyed<StorageLimit>('accounts.storageLimits');
