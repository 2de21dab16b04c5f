import { TooLarge, type Database, type QueryCache } from '@mortise/plugin-sdk';
import type { StorageLimit, StoredSubject } from '@mortise/accounts/api';
import { OwnerRow } from '../models/owner.js';
import type { Group, Groups, Rule } from './groups.js';
import { countedFor, type Subject } from './subjects.js';
import type { Usage, UsageCounter } from './usage.js';
import { t } from '../texts/index.js';

interface Deps {
  readonly database: Database;
  readonly groups: Pick<Groups, 'byNames' | 'ofUser'>;
  readonly usage: UsageCounter;
  readonly cached: QueryCache<readonly Group[]>;
  /** Names, for owners that are in no group; where none of them exists there is the one of {@link maxTotal}. */
  readonly defaultGroups: readonly string[];
  /** Bytes; -1: any number. */
  readonly maxTotal: number;
}

/** What an owner stores and may store. */
export interface Quota {
  readonly usage: Usage;
  readonly groups: readonly Group[];
}

const covers = (rule: Rule, stored: StoredSubject): boolean => countedFor(rule.subjects).has(stored);

/** A rule that lets nothing more in, if there is one. */
const fullRule = (rules: readonly Rule[], usage: Usage, bytes: number): Rule | undefined =>
  rules.find(({ limit, subjects }) => limit >= 0 && usage.sum(subjects) + bytes > limit);

/**
 * Decides whether owners have room. All rules of a group that are about what comes must have room for it; of several
 * groups one is enough, among those that say anything about it.
 */
export class QuotaLimit implements StorageLimit {
  readonly key = 'quota';

  constructor(private readonly deps: Deps) {}

  async check(ownerId: number, stored: StoredSubject, bytes: number): Promise<void> {
    const groups = await this.#rulesFor(ownerId, [stored]);
    if (groups.length > 0) await this.#decide(ownerId, groups, bytes);
  }

  async checkAndLock(ownerId: number, stored: StoredSubject, bytes: number): Promise<void> {
    const groups = await this.#rulesFor(ownerId, [stored]);
    if (groups.length === 0) return;
    await this.#lock(ownerId);
    await this.#decide(ownerId, groups, bytes);
  }

  /**
   * In the transaction that has given all of these to an owner, as with a repository.
   *
   * @throws TooLarge: they are more than there was room for
   */
  async checkTransferred(ownerId: number, stored: readonly StoredSubject[]): Promise<void> {
    const groups = await this.#rulesFor(ownerId, stored);
    if (groups.length === 0) return;
    await this.#lock(ownerId);
    await this.#decide(ownerId, groups, 0, 0);
  }

  /**
   * In the transaction after which something is counted as `to` and no longer as `from`. For rules about both nothing has
   * changed.
   *
   * @throws TooLarge
   */
  async checkMoved(ownerId: number, from: StoredSubject, to: StoredSubject): Promise<void> {
    const about = await this.#rulesFor(ownerId, [to]);
    const groups = about.map((rules) => rules.filter((rule) => !covers(rule, from)));
    if (groups.length === 0) return;
    await this.#lock(ownerId);
    await this.#decide(ownerId, groups, 0, 0);
  }

  async of(ownerId: number): Promise<Quota> {
    return { usage: await this.deps.usage.count(ownerId), groups: await this.groupsOf(ownerId) };
  }

  /** May more of the subject be stored? */
  async hasRoom(ownerId: number, subject: Subject): Promise<boolean> {
    const { usage, groups } = await this.of(ownerId);
    const about = rulesFor(groups, [...countedFor([subject])]);
    return about.length === 0 || about.some((rules) => !fullRule(rules, usage, 1));
  }

  /** The groups whose rules hold for an owner. */
  async groupsOf(ownerId: number): Promise<readonly Group[]> {
    const { cached, groups, defaultGroups, maxTotal } = this.deps;
    const key = String(ownerId);
    return (
      cached.peek(key) ??
      cached.load(key, async () => {
        const own = await groups.ofUser(ownerId);
        if (own.length > 0) return own;
        const defaults = defaultGroups.length > 0 ? await groups.byNames(defaultGroups) : [];
        if (defaults.length > 0) return defaults;
        const rule: Rule = { name: 'default', limit: maxTotal, subjects: ['size:all'] };
        return maxTotal < 0 ? [] : [{ name: 'default', rules: [rule] }];
      })
    );
  }

  /** The rules of each group that says something about it. */
  async #rulesFor(ownerId: number, stored: readonly StoredSubject[]): Promise<readonly (readonly Rule[])[]> {
    // accounts that the site itself acts as own nothing
    return ownerId > 0 ? rulesFor(await this.groupsOf(ownerId), stored) : [];
  }

  /** Until the end of the transaction others of the owner wait. SQLite has one writer at a time anyway. */
  async #lock(ownerId: number): Promise<void> {
    const { database } = this.deps;
    if (database.engine === 'sqlite') return;
    const row = { user_id: ownerId, asked_at: Date.now() };
    await database.query(OwnerRow).insert(row).onConflict('user_id').merge();
  }

  /** `least`: what must fit where nothing is known to come. */
  async #decide(ownerId: number, groups: readonly (readonly Rule[])[], bytes: number, least = 1): Promise<void> {
    if (groups.some((rules) => rules.every(({ limit }) => limit < 0))) return;
    const usage = await this.deps.usage.count(ownerId);
    const full = groups.map((rules) => fullRule(rules, usage, Math.max(bytes, least)));
    if (full.length === 0 || full.includes(undefined)) return;
    // without numbers: whoever stores need not be the owner, whose private repositories are counted too
    throw TooLarge(t.later('error.exceeded'));
  }
}

const rulesFor = (groups: readonly Group[], stored: readonly StoredSubject[]): readonly (readonly Rule[])[] =>
  groups
    .map(({ rules }) => rules.filter((rule) => stored.some((one) => covers(rule, one))))
    .filter((rules) => rules.length > 0);
