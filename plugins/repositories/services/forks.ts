import {
  Conflict,
  Forbidden,
  Invalid,
  NotFound,
  anonymous,
  type Actor,
  type Events,
  type Locks,
} from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import { zeroOid, type GitReader, type GitStore, type GitWriter, type RefUpdates } from '@mortise/git/api';
import { repositoryGenerated, type Repository } from '../api.js';
import { refuseBlocked } from './blocks.js';
import type { GitHookService } from './git-hooks.js';
import { checkBranchName } from './names.js';
import type { RepositoryService } from './repositories.js';
import { fillIn, templateWords, type Addresses } from './template.js';
import type { TopicService } from './topics.js';
import { initialUnits } from './units.js';
import { signatureOf } from './signature.js';

/** What a repository made from a template takes over. */
export interface TemplateParts {
  readonly gitContent?: boolean;
  readonly gitHooks?: boolean;
  readonly topics?: boolean;
  readonly avatar?: boolean;
  readonly labels?: boolean;
  readonly webhooks?: boolean;
  readonly protectedBranch?: boolean;
}

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
      events: Events;
      locks: Locks;
      hooks: GitHookService;
      addresses: Addresses;
      settings: {
        readonly forkUnits: ReadonlySet<string>;
        readonly forksOverLimit: boolean;
        readonly forcePrivate: boolean;
      };
    },
  ) {}

  /** REP-23, REP-24. `onlyBranch`: nothing but the default branch is copied. */
  async fork(
    source: Repository,
    owner: Account,
    name: string,
    actor: Actor,
    options: { readonly description?: string; readonly onlyBranch?: boolean } = {},
  ): Promise<Repository> {
    this.parts.repositories.checkName(name);
    await refuseBlocked(this.parts.accounts, actor, source.ownerId);
    // Two at once would both find none.
    const lock = `repositories.fork.${source.id}.${owner.id}`;
    return this.parts.locks.hold(lock, () => this.#fork(source, owner, name, actor, options));
  }

  async #fork(
    source: Repository,
    owner: Account,
    name: string,
    actor: Actor,
    options: { readonly description?: string; readonly onlyBranch?: boolean },
  ): Promise<Repository> {
    const { repositories, store, reader, settings } = this.parts;
    if (await this.existing(source, owner)) throw Conflict('a fork of this repository exists already');
    let isEmpty = true;
    let branchCount = 0;
    const fork = await repositories.establish(
      owner,
      {
        name,
        description: options.description ?? source.description,
        isPrivate: source.isPrivate || source.ownerVisibility === 'private',
        defaultBranch: source.defaultBranch,
        objectFormat: source.objectFormat,
        units: initialUnits(settings.forkUnits),
        forkOfId: source.id,
        overLimit: settings.forksOverLimit,
      },
      actor,
      async (row) => {
        await this.#from(source, async () => {
          isEmpty = await reader.open(source.id).isEmpty();
          await store.copy(source.id, row.id, options.onlyBranch && !isEmpty ? { branch: source.defaultBranch } : {});
        });
        branchCount = (await reader.open(row.id).branches()).length;
      },
      ({ id }) => {
        const { language, licenses, sizeBytes } = source;
        return repositories.setDerived(id, { isEmpty, language, licenses, sizeBytes, branchCount });
      },
    );
    return (await repositories.byId(fork.id)) ?? fork;
  }

  /** Reads from another repository; what fails because that was deleted meanwhile is told so. */
  async #from<T>(source: Repository, read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      throw (await this.parts.repositories.byId(source.id)) ? error : NotFound('repository');
    }
  }

  /** The fork that an account has already, whoever may see it. */
  async existing(source: Repository, owner: Account): Promise<Repository | undefined> {
    const { items } = await this.parts.repositories.search(
      { ownerId: owner.id, exclusive: true, forkOf: source.id, limit: 1, offset: 0 },
      { ...anonymous, kind: 'user', isAdmin: true },
    );
    return items[0];
  }

  /** A new repository with what a template has: files as the first commit, topics, picture, hooks and more. */
  async generate(
    template: Repository,
    owner: Account,
    options: TemplateParts & {
      readonly name: string;
      readonly description?: string;
      readonly isPrivate?: boolean;
      readonly defaultBranch?: string;
    },
    actor: Actor,
  ): Promise<Repository> {
    const { repositories, store, events, hooks, settings } = this.parts;
    if (!template.isTemplate) throw Invalid('the repository is no template');
    repositories.checkName(options.name);
    const { gitContent, topics, avatar, labels, webhooks, protectedBranch } = options;
    // They run programs: left out for who may not edit them.
    const gitHooks = options.gitHooks && (await hooks.allows(actor));
    if (![gitContent, gitHooks, topics, avatar, labels, webhooks, protectedBranch].some(Boolean))
      throw Invalid('choose at least one thing to take over from the template');
    const branch = options.defaultBranch || template.defaultBranch;
    checkBranchName(branch);
    const made = await repositories.establish(
      owner,
      {
        name: options.name,
        description: options.description,
        isPrivate: settings.forcePrivate || options.isPrivate,
        defaultBranch: branch,
        objectFormat: template.objectFormat,
        trustModel: template.trustModel,
        units: template.units,
        avatar: avatar ? template.avatar : '',
      },
      actor,
      async (row) => {
        await store.create(row.id, { defaultBranch: branch, objectFormat: template.objectFormat });
        if (gitContent) await this.#from(template, () => this.#takeFiles(template, row, owner, branch, actor));
      },
      async (row) => {
        if (!(await repositories.byId(template.id))) throw NotFound('repository');
        if (topics && template.topics.length) await this.parts.topics.replace(row, template.topics);
        if (gitHooks) await hooks.copy(template.id, row.id);
        await events.emit(repositoryGenerated, {
          repositoryId: row.id,
          templateId: template.id,
          actorId: actor.id,
          labels: Boolean(labels),
          webhooks: Boolean(webhooks),
          protectedBranch: Boolean(protectedBranch),
        });
      },
    );
    return (await repositories.byId(made.id)) ?? made;
  }

  async #takeFiles(template: Repository, row: Repository, owner: Account, branch: string, actor: Actor): Promise<void> {
    const { repositories, store, reader, writer, refs, accounts, addresses } = this.parts;
    const head = await reader.open(template.id).resolve(template.defaultBranch);
    if (!head) return;
    await store.fetchObjects(template.id, row.id, [head.commit]);
    const account = (await accounts.byId(actor.id)) ?? owner;
    const signature = signatureOf(accounts, account);
    const commit = await writer.writeCommit(row.id, {
      tree: await fillIn({ reader, writer }, row.id, head.commit, templateWords(row, template, addresses)),
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
  }

  /** The account that a fork or new repository goes to; organizations come with their plugin. */
  async target(actor: Actor, organization?: string): Promise<Account> {
    const account = organization
      ? await this.parts.accounts.byName(organization)
      : await this.parts.accounts.byId(actor.id);
    if (!account) throw NotFound(organization ? 'organization' : 'user');
    if (account.id !== actor.id && !actor.isAdmin)
      throw Forbidden(`you may not create repositories for ${account.name}`);
    return account;
  }
}
