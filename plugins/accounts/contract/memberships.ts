import type { QueryBuilder } from 'objection';
import { definePoint, defineService, type Actor, type Keyed, type Model } from '@mortise/plugin-sdk';
import type { Account } from './account.js';

/** How a person belongs to an organization. */
export interface Membership {
  readonly userId: number;
  readonly organizationId: number;
  readonly isOwner: boolean;
  /** One of the person's teams may, or the person is an owner. */
  readonly mayCreateRepository: boolean;
  /** Everybody may know of it. */
  readonly isPublic: boolean;
}

/** Extension point: who belongs to which organizations. */
export interface MembershipSource extends Keyed {
  /** Of many people at once, with one query; {@link Memberships} keeps what it gives. */
  of(userIds: readonly number[]): Promise<readonly Membership[]>;
  /** Ids of the organizations of a person, as a subquery of one column. */
  organizations(userId: number): QueryBuilder<Model>;
  /** Those of them in which the person may create repositories. */
  creatable(userId: number): QueryBuilder<Model>;
  /** Ids of the people who share an organization with a person, as a subquery of one column. */
  colleagues(userId: number): QueryBuilder<Model>;
}
export const membershipSources = definePoint.keyed<MembershipSource>('accounts.membershipSources');

/** Who belongs to what: the one place that is asked. Hot reads. */
export interface Memberships {
  /** By the id of the organization. */
  of(userId: number): Promise<ReadonlyMap<number, Membership>>;
  isMember(userId: number, organizationId: number): Promise<boolean>;
  /**
   * May the actor decide for the account? The account itself, owners of the organization, administrators of the site.
   */
  isOwner(actor: Actor, account: Account): Promise<boolean>;
  /**
   * May the actor know that the account exists? As its visibility says; members see their organization, and private
   * accounts are seen by those who share an organization with them.
   */
  mayView(actor: Actor, account: Account): Promise<boolean>;
  /** Those of the accounts that the actor may know of; asks once for all. */
  viewable(actor: Actor, accounts: readonly Account[]): Promise<Account[]>;
  /** The same as a condition: leaves rows whose `column` is the id of an account that the actor may know of. */
  whereViewable(actor: Actor, query: QueryBuilder<Model>, column: string): void;
}
export const memberships = defineService<Memberships>('accounts.memberships');
