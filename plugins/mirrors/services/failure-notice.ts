import type { Logger } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { Notifications } from '@mortise/notifications/api';
import type { Repository, RepositoryAccess, RepositoryMembers } from '@mortise/repositories/api';
import { t } from '../texts/index.js';

interface NoticeDeps {
  readonly accounts: Accounts;
  readonly members: RepositoryMembers;
  readonly access: RepositoryAccess;
  readonly notifications: Notifications | undefined;
  readonly settingsUrl: (repository: Repository) => string;
  readonly log: Logger;
}

/** Tells those who administer a repository that a mirror of it fails again and again: once, until it has worked. */
export class FailureNotice {
  constructor(private readonly deps: NoticeDeps) {}

  async send(repository: Repository, remoteUrl: string, failingSince: number): Promise<void> {
    const { accounts, members, access, notifications, settingsUrl, log } = this.deps;
    if (!notifications) return;
    try {
      const known = await accounts.byIds([...new Set([repository.ownerId, ...(await members.writers(repository))])]);
      const users = [...known.values()].filter(({ kind }) => kind === 'user');
      const rights = await access.rightsAmong(users, repository);
      const userIds = users.map(({ id }) => id).filter((id) => rights.get(id)?.may('admin'));
      if (!userIds.length) return;
      await notifications.notify({
        subject: { repositoryId: repository.id },
        actorId: 0,
        userIds,
        at: failingSince,
        event: 'mirror_failed',
        mail: {
          line: t.later('notice.failing', {
            repository: `${repository.ownerName}/${repository.name}`,
            address: remoteUrl,
          }),
          url: settingsUrl(repository),
        },
      });
    } catch (error) {
      log.warn('could not send a notice about a failing mirror', {
        event: 'mirror.notice',
        repositoryId: repository.id,
        error: String(error),
      });
    }
  }
}
