import { Conflict, Forbidden, Invalid, NotFound, type Actor } from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import { zeroOid, type GitReader, type GitStore, type GitWriter, type RefUpdates } from '@mortise/git/api';
import type { Repository } from '../api.js';
import type { RepositoryService } from './repositories.js';
import type { TopicService } from './topics.js';

/** Forks, and repositories made from a template. */
export class ForkService {
  constructor(
    private readonly parts: {
      accounts: Accounts;
      repositories: RepositoryService;
      store: GitStore;
      reader: GitReader;
      writer: GitWriter;
      refs: RefUpdates;
      topics: TopicService;
    },
  ) {}

  /** REP-23, REP-24 */
  async fork(source: Repository, owner: Account, name: string, actor: Actor): Promise<Repository> {
    const { repositories, store, reader } = this.parts;
    repositories.checkName(name);
    if (source.ownerId === owner.id) throw Conflict('a repository cannot be forked into the account that owns it');
    const existing = await repositories.search(
      { ownerId: owner.id, exclusive: true, forkOf: source.id, limit: 1, offset: 0 },
      { ...actor, isAdmin: true },
    );
    if (existing.total) throw Conflict('a fork of this repository exists already');
    const facts = reader.open(source.id);
    const isEmpty = await facts.isEmpty();
    const branches = await facts.branches();
    const fork = await repositories.establish(
      owner,
      {
        name,
        description: source.description,
        isPrivate: source.isPrivate || source.ownerVisibility === 'private',
        defaultBranch: source.defaultBranch,
        objectFormat: source.objectFormat,
        units: source.units,
        forkOfId: source.id,
      },
      actor,
      (row) => store.copy(source.id, row.id),
    );
    await repositories.setDerived(fork.id, {
      isEmpty,
      language: source.language,
      sizeBytes: source.sizeBytes,
      branchCount: branches.length,
    });
    return (await repositories.byId(fork.id)) ?? fork;
  }

  /** A new repository with the files of a template's default branch as its first commit. */
  async generate(
    template: Repository,
    owner: Account,
    options: {
      name: string;
      description?: string;
      isPrivate?: boolean;
      defaultBranch?: string;
      gitContent?: boolean;
      topics?: boolean;
    },
    actor: Actor,
  ): Promise<Repository> {
    const { repositories, store, reader, writer, refs, accounts } = this.parts;
    if (!template.isTemplate) throw Invalid('the repository is no template');
    repositories.checkName(options.name);
    if (!options.gitContent && !options.topics)
      throw Invalid('choose at least one thing to take over from the template');
    const branch = options.defaultBranch || template.defaultBranch;
    const made = await repositories.establish(
      owner,
      {
        name: options.name,
        description: options.description,
        isPrivate: options.isPrivate,
        defaultBranch: branch,
        objectFormat: template.objectFormat,
        units: template.units,
      },
      actor,
      async (row) => {
        await store.create(row.id, { defaultBranch: branch, objectFormat: template.objectFormat });
        const head = await reader.open(template.id).resolve(template.defaultBranch);
        if (!options.gitContent || !head) return;
        await store.fetchObjects(template.id, row.id, [head.commit]);
        const account = (await accounts.byId(actor.id)) ?? owner;
        const signature = {
          name: account.fullName || account.name,
          email: accounts.commitEmail(account),
          time: Date.now(),
          zone: '+0000',
        };
        const { tree } = await reader.open(template.id).commit(head.commit);
        const commit = await writer.writeCommit(row.id, {
          tree,
          parents: [],
          author: signature,
          committer: signature,
          message: 'Initial commit\n',
        });
        await refs.apply({
          repositoryId: row.id,
          updates: [{ ref: `refs/heads/${branch}`, old: zeroOid, new: commit }],
          pusher: actor,
          source: 'internal',
          skipChecks: true,
        });
        await repositories.setDerived(row.id, { isEmpty: false });
      },
    );
    if (options.topics && template.topics.length) await this.parts.topics.replace(made, template.topics);
    return (await repositories.byId(made.id)) ?? made;
  }

  /** The account that a fork or new repository goes to; organizations come with their plugin. */
  async target(actor: Actor, organization?: string): Promise<Account> {
    const account = organization
      ? await this.parts.accounts.byName(organization)
      : await this.parts.accounts.byId(actor.id);
    if (!account) throw organization ? Invalid(`there is no organization ${organization}`) : NotFound('user');
    if (account.id !== actor.id && !actor.isAdmin)
      throw Forbidden(`you may not create repositories for ${account.name}`);
    return account;
  }
}
