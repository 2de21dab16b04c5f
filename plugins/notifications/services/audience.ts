import type { Account, Accounts } from '@mortise/accounts/api';
import { unitOf, type Issue, type Issues } from '@mortise/issues/api';
import type { Repository, RepositoryAccess, RepositoryMembers } from '@mortise/repositories/api';
import type { News, NotificationReason } from '../api.js';

export interface Receiver {
  readonly account: Account;
  readonly reason: NotificationReason;
}

/** Accounts that are looked at together. */
const piece = 500;

/** Who hears of something. */
export class Audience {
  constructor(
    private readonly parts: {
      readonly accounts: Pick<Accounts, 'byId' | 'byIds' | 'refusal'>;
      readonly issues: Pick<Issues, 'followers'>;
      readonly repositoryAccess: Pick<RepositoryAccess, 'rightsOf'>;
      readonly repositoryMembers: Pick<RepositoryMembers, 'watchers'>;
    },
  ) {}

  /** Those who are meant, may read what it is about and may sign in; whose deed it was is among them when meant. */
  async of(news: News, repository: Repository): Promise<Receiver[]> {
    const { about } = news;
    const issue = 'issue' in about ? about.issue : undefined;
    const meant = new Map<number, NotificationReason>();
    if (news.userIds) for (const id of news.userIds) meant.set(id, news.reason ?? 'participating');
    else if (issue) await this.#addFollowers(meant, issue, news.reason);
    for (const id of news.mentionedIds ?? []) if (!news.userIds || meant.has(id)) meant.set(id, 'mentioned');
    const ids = [...meant.keys()];
    const found: Receiver[] = [];
    for (let at = 0; at < ids.length; at += piece) {
      const known = await this.parts.accounts.byIds(ids.slice(at, at + piece));
      for (const account of known.values())
        if (account.kind === 'user' && !this.parts.accounts.refusal(account))
          found.push({ account, reason: meant.get(account.id)! });
    }
    return this.#readers(found, repository, issue);
  }

  async #addFollowers(
    meant: Map<number, NotificationReason>,
    issue: Issue,
    reason: NotificationReason | undefined,
  ): Promise<void> {
    const [{ following, silent }, watchers] = await Promise.all([
      this.parts.issues.followers(issue),
      this.parts.repositoryMembers.watchers(issue.repositoryId),
    ]);
    const unwilling = new Set(silent);
    for (const id of watchers) if (!unwilling.has(id)) meant.set(id, reason ?? 'watching');
    for (const id of following) meant.set(id, reason ?? 'participating');
  }

  async #readers(receivers: readonly Receiver[], repository: Repository, issue: Issue | undefined) {
    const { accounts, repositoryAccess } = this.parts;
    const owner = await accounts.byId(repository.ownerId);
    if (!owner) return [];
    const unit = issue && unitOf(issue);
    const isOn = !unit || repository.units.some(({ key, enabled }) => key === unit && enabled);
    if (!isOn) return [];
    // Everybody may read it: nothing is asked for each.
    if (!repository.isPrivate && owner.visibility === 'public') return [...receivers];
    const able: Receiver[] = [];
    for (const one of receivers) {
      const rights = (await repositoryAccess.rightsOf(one.account, [repository])).get(repository.id);
      if (rights?.may('read', unit)) able.push(one);
    }
    return able;
  }
}
