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

  /** Recipients, and why each is one; the actor may be among them. `followers`: of the issue, where they are known. */
  async recipients(request: NotificationRequest, followers?: IssueFollowers): Promise<Recipients> {
    const reasonByUser = new Map<number, NotificationReason>();
    if (request.userIds) for (const id of request.userIds) reasonByUser.set(id, request.reason ?? 'participating');
    else if ('issue' in request.subject) {
      const { issue } = request.subject;
      const [{ following, silent }, watchers] = await Promise.all([
        followers ?? this.deps.issues.followers(issue),
        this.deps.repositoryMembers.watchers(issue.repositoryId),
      ]);
      const unsubscribed = new Set(silent);
      for (const id of watchers) if (!unsubscribed.has(id)) reasonByUser.set(id, request.reason ?? 'watching');
      for (const id of following) reasonByUser.set(id, request.reason ?? 'participating');
    }
    for (const id of request.mentionedIds ?? [])
      if (!request.userIds || reasonByUser.has(id)) reasonByUser.set(id, 'mentioned');
    for (const id of request.assigneeIds ?? []) reasonByUser.set(id, 'assigned');
    return reasonByUser;
  }

  /** Of these, those who may read what it is about and may sign in. One batch of queries however many. */
  async receivers(
    ids: readonly number[],
    reasonByUser: Recipients,
    request: NotificationRequest,
    repository: Repository | undefined,
  ): Promise<NotificationReceiver[]> {
    const { accounts } = this.deps;
    const known = [...(await accounts.byIds(ids)).values()].filter(
      (account) => account.kind === 'user' && !accounts.refusal(account),
    );
    const inPerson = known.filter(({ id }) => this.deps.reasons.isPersonal(reasonByUser.get(id)!)).map(({ id }) => id);
    const blockers = await accounts.blockersAmong(inPerson, request.actorId);
    const reachable = known.filter(({ id }) => !blockers.has(id));
    const readers = await this.#readersAmong(reachable, request, repository);
    const receivers = reachable.filter(({ id }) => readers.has(id));
    const textUnit = request.mail?.textUnit;
    const textReaders =
      textUnit && repository ? await this.deps.repositoryAccess.readersAmong(receivers, repository, textUnit) : readers;
    return receivers.map((account) => ({
      account,
      reason: reasonByUser.get(account.id)!,
      mayReadText: textReaders.has(account.id),
    }));
  }

  /** Who may read what it is about. */
  async #readersAmong(
    accounts: readonly Account[],
    request: NotificationRequest,
    repository: Repository | undefined,
  ): Promise<ReadonlySet<number>> {
    const { subject } = request;
    if ('kind' in subject) return this.deps.subjectKinds.check(subject.kind).readersAmong(accounts, subject.id);
    return repository
      ? this.deps.repositoryAccess.readersAmong(accounts, repository, neededUnit(request))
      : new Set<number>();
  }
}

/** The unit of the repository that one must be able to read to hear of it; undefined: any. */
function neededUnit({ subject, unit }: NotificationRequest): string | undefined {
  if ('issue' in subject) return unitOf(subject.issue);
  return unit ?? ('sha' in subject ? 'code' : undefined);
}
