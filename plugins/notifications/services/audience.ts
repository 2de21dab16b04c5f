import type { Account, Accounts } from '@mortise/accounts/api';
import { unitOf, type IssueFollowers, type Issues } from '@mortise/issues/api';
import type { Repository, RepositoryAccess, RepositoryMembers } from '@mortise/repositories/api';
import type { NotificationRequest, NotificationReason, NotificationReceiver } from '../contract/notifications.js';
import type { Reasons } from './reasons.js';
import type { SubjectKinds } from './subjects.js';

/** By the id of the account: why it is told. */
type Recipients = ReadonlyMap<number, NotificationReason>;

/** Who hears of something. */
export class Audience {
  constructor(
    private readonly deps: {
      readonly accounts: Pick<Accounts, 'byId' | 'byIds' | 'refusal' | 'blockersAmong'>;
      readonly issues: Pick<Issues, 'followers'>;
      readonly repositoryAccess: Pick<RepositoryAccess, 'readersAmong'>;
      readonly repositoryMembers: Pick<RepositoryMembers, 'watchers'>;
      readonly reasons: Reasons;
      readonly subjectKinds: SubjectKinds;
    },
  ) {}

  /** Those who are meant; whose deed it was may be among them. `followers`: of the issue, where they are known. */
  async recipients(request: NotificationRequest, followers?: IssueFollowers): Promise<Recipients> {
    const meant = new Map<number, NotificationReason>();
    if (request.userIds) for (const id of request.userIds) meant.set(id, request.reason ?? 'participating');
    else if ('issue' in request.about) {
      const { issue } = request.about;
      const [{ following, silent }, watchers] = await Promise.all([
        followers ?? this.deps.issues.followers(issue),
        this.deps.repositoryMembers.watchers(issue.repositoryId),
      ]);
      const unwilling = new Set(silent);
      for (const id of watchers) if (!unwilling.has(id)) meant.set(id, request.reason ?? 'watching');
      for (const id of following) meant.set(id, request.reason ?? 'participating');
    }
    for (const id of request.mentionedIds ?? []) if (!request.userIds || meant.has(id)) meant.set(id, 'mentioned');
    for (const id of request.assigneeIds ?? []) meant.set(id, 'assigned');
    return meant;
  }

  /** Of these, those who may read what it is about and may sign in. One batch of queries however many. */
  async receivers(
    ids: readonly number[],
    meant: Recipients,
    request: NotificationRequest,
    repository: Repository | undefined,
  ): Promise<NotificationReceiver[]> {
    const { accounts } = this.deps;
    const known = [...(await accounts.byIds(ids)).values()].filter(
      (account) => account.kind === 'user' && !accounts.refusal(account),
    );
    const inPerson = known.filter(({ id }) => this.deps.reasons.isPersonal(meant.get(id)!)).map(({ id }) => id);
    const unwilling = await accounts.blockersAmong(inPerson, request.actorId);
    const willing = known.filter(({ id }) => !unwilling.has(id));
    const readers = await this.#readersAmong(willing, request, repository);
    const receivers = willing.filter(({ id }) => readers.has(id));
    const textUnit = request.mail?.textUnit;
    const textReaders =
      textUnit && repository ? await this.deps.repositoryAccess.readersAmong(receivers, repository, textUnit) : readers;
    return receivers.map((account) => ({
      account,
      reason: meant.get(account.id)!,
      mayReadText: textReaders.has(account.id),
    }));
  }

  /** Who may read what it is about. */
  async #readersAmong(
    accounts: readonly Account[],
    request: NotificationRequest,
    repository: Repository | undefined,
  ): Promise<ReadonlySet<number>> {
    const { about } = request;
    if ('subject' in about)
      return this.deps.subjectKinds.check(about.subject.kind).readersAmong(accounts, about.subject.id);
    return repository
      ? this.deps.repositoryAccess.readersAmong(accounts, repository, neededUnit(request))
      : new Set<number>();
  }
}

/** The unit of the repository that one must be able to read to hear of it; undefined: any. */
function neededUnit({ about, unit }: NotificationRequest): string | undefined {
  if ('issue' in about) return unitOf(about.issue);
  return unit ?? ('sha' in about ? 'code' : undefined);
}
