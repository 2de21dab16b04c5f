import type { Database } from '@mortise/plugin-sdk';
import type { Account, AccountMail, Accounts } from '@mortise/accounts/api';
import type { Repositories, Repository, RepositoryAccess, RepositoryMembers } from '@mortise/repositories/api';
import { HookRow } from '../models/hook.js';
import { t } from '../texts/index.js';

interface DepartedCreatorsDeps {
  readonly database: Database;
  readonly access: Pick<RepositoryAccess, 'rightsAmong'>;
  readonly accounts: Pick<Accounts, 'byId' | 'byIds'>;
  readonly accountMail: AccountMail;
  readonly members: Pick<RepositoryMembers, 'writers'>;
  readonly repositories: Pick<Repositories, 'byIds' | 'htmlUrl'>;
}

/** Administrators who get a mail about one repository. */
const maxMails = 20;

/**
 * Webhooks outlive the permissions of their creators, and go on sending events to an address that only those may know.
 * Administrators of the repository are notified, by mail and in the list of webhooks.
 */
export class DepartedCreators {
  constructor(private readonly deps: DepartedCreatorsDeps) {}

  /** These users may have less access than before to repositories of an owner. */
  async checkUsers(ownerId: number, userIds: readonly number[]): Promise<void> {
    await this.#check(await this.#hooks().whereIn('creator_id', [...userIds]), ownerId);
  }

  /** Another owner: others administer it now. */
  async checkRepository(repositoryId: number): Promise<void> {
    await this.#check(await this.#hooks().where('owner_id', repositoryId).where('creator_id', '>', 0));
  }

  #hooks() {
    return this.deps.database.query(HookRow).where({ owner_kind: 'repository', creator_left_at: 0 });
  }

  async #check(hooks: readonly HookRow[], ownerId?: number): Promise<void> {
    const { accounts, repositories } = this.deps;
    if (hooks.length === 0) return;
    const repositoriesById = await repositories.byIds([...new Set(hooks.map((hook) => hook.owner_id))]);
    const creators = await accounts.byIds([...new Set(hooks.map((hook) => hook.creator_id))]);
    for (const repository of repositoriesById.values()) {
      if (ownerId !== undefined && repository.ownerId !== ownerId) continue;
      const own = hooks.filter((hook) => hook.owner_id === repository.id);
      await this.#checkOne(repository, own, creators);
    }
  }

  async #checkOne(repository: Repository, hooks: readonly HookRow[], creators: ReadonlyMap<number, Account>) {
    const { database, access } = this.deps;
    const rights = await access.rightsAmong([...creators.values()], repository);
    for (const creator of creators.values()) {
      const made = hooks.filter((hook) => hook.creator_id === creator.id);
      if (made.length === 0 || rights.get(creator.id)?.may('admin')) continue;
      await database.write(async () => {
        const marked = await database
          .query(HookRow)
          .whereIn(
            'id',
            made.map((hook) => hook.id),
          )
          .where('creator_left_at', 0)
          .patch({ creator_left_at: Date.now() });
        if (marked) await this.#notify(repository, creator, made);
      });
    }
  }

  async #notify(repository: Repository, creator: Account, hooks: readonly HookRow[]): Promise<void> {
    const { access, accounts, accountMail, members, repositories } = this.deps;
    if (!accountMail.isEnabled) return;
    const writers = await accounts.byIds(await members.writers(repository));
    const rights = await access.rightsAmong([...writers.values()], repository);
    const administrators = [...writers.values()].filter(
      (account) => account.kind === 'user' && account.isActive && rights.get(account.id)?.may('admin'),
    );
    const path = `${repository.ownerName}/${repository.name}`;
    // addresses may have passwords in their query: the host says enough
    const list = hooks.map((hook) => hook.name || new URL(hook.url).host).join('\n');
    for (const account of administrators.slice(0, maxMails))
      await accountMail.send(account, {
        subject: t.later('mail.departedSubject', { repository: path }),
        body: [
          t.later('mail.departedText', { creator: creator.name, repository: path, count: hooks.length }),
          () => list,
          { link: `${repositories.htmlUrl(repository)}/settings/hooks`, label: t.later('mail.departedView') },
        ],
      });
  }
}
