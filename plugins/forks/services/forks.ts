import {
  Conflict,
  Invalid,
  NotFound,
  anonymous,
  type Actor,
  type Events,
  type Locks,
  type PointReader,
} from '@mortise/plugin-sdk';
import type { Account, Accounts, OwnerQuota } from '@mortise/accounts/api';
import type { GitReader, GitStore, GitWriter } from '@mortise/git/api';
import {
  firstCommit,
  refuseBlocked,
  type CommitWriter,
  type Repositories,
  type Repository,
  type RepositoryCreator,
} from '@mortise/repositories/api';
import { repositoryGenerated, type TemplateContent } from '../contract/forks.js';
import { t } from '../texts/index.js';
import { fillIn, templateVariables, type Addresses } from './template.js';

/** What a repository made from a template takes over: files, topics, picture, and what other plugins know. */
interface TemplateChoice {
  readonly gitContent?: boolean;
  readonly topics?: boolean;
  readonly avatar?: boolean;
  /** By the keys of `templateParts`; asking for what no plugin knows is no fault. */
  readonly parts?: ReadonlySet<string>;
}

/** Forks, and repositories made from a template. */
export class ForkService {
  constructor(
    private readonly deps: {
      accounts: Accounts;
      ownerQuota: OwnerQuota;
      repositories: Repositories;
      creator: RepositoryCreator;
      store: GitStore;
      reader: GitReader;
      writer: GitWriter;
      commits: CommitWriter;
      events: Events;
      locks: Locks;
      templateParts: PointReader<TemplateContent>;
      addresses: Addresses;
      settings: {
        /** `repo.code,repo.pulls` */
        readonly forkUnits: string;
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
    this.deps.repositories.checkName(name);
    await refuseBlocked(this.deps.accounts, actor, source.ownerId);
    // Two at once would both find none.
    const lock = `repositories.fork.${source.id}.${owner.id}`;
    return this.deps.locks.hold(lock, () => this.#fork(source, owner, name, actor, options));
  }

  async #fork(
    source: Repository,
    owner: Account,
    name: string,
    actor: Actor,
    options: { readonly description?: string; readonly onlyBranch?: boolean },
  ): Promise<Repository> {
    const { ownerQuota, repositories, creator, store, reader, settings } = this.deps;
    if (await this.existing(source, owner)) throw Conflict(t.later('error.forkExists'));
    const isPrivate = source.isPrivate || source.ownerVisibility === 'private';
    const stored = [owner.id, `size:repos:${isPrivate ? 'private' : 'public'}`, source.sizeBytes] as const;
    await ownerQuota.check(...stored);
    let isEmpty = true;
    let branchCount = 0;
    const fork = await creator.establish(
      owner,
      {
        name,
        description: options.description ?? source.description,
        isPrivate,
        defaultBranch: source.defaultBranch,
        objectFormat: source.objectFormat,
        units: creator.units(settings.forkUnits),
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
      async ({ id }) => {
        await ownerQuota.checkAndLock(...stored);
        const { language, licenses, sizeBytes } = source;
        await repositories.setDerived(id, { isEmpty, language, licenses, sizeBytes, branchCount });
      },
    );
    return (await repositories.byId(fork.id)) ?? fork;
  }

  /** Reads from another repository; what fails because that was deleted meanwhile is told so. */
  async #from<T>(source: Repository, read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      throw (await this.deps.repositories.byId(source.id)) ? error : NotFound('repository');
    }
  }

  /** The fork that an account has already, whoever may see it. */
  async existing(source: Repository, owner: Account): Promise<Repository | undefined> {
    const { items } = await this.deps.repositories.search(
      { ownerId: owner.id, exclusive: true, forkOf: source.id, limit: 1, offset: 0 },
      { ...anonymous, kind: 'user', isAdmin: true },
    );
    return items[0];
  }

  /** The forks that these accounts have already, by the id of the account. */
  async existingAmong(source: Repository, owners: readonly Account[]): Promise<Map<number, Repository>> {
    const { items } = await this.deps.repositories.search(
      { ownerIds: owners.map(({ id }) => id), forkOf: source.id, limit: owners.length, offset: 0 },
      { ...anonymous, kind: 'user', isAdmin: true },
    );
    return new Map(items.map((fork) => [fork.ownerId, fork]));
  }

  /** A new repository with what a template has: files as the first commit, topics, picture, hooks and more. */
  async generate(
    template: Repository,
    owner: Account,
    options: TemplateChoice & {
      readonly name: string;
      readonly description?: string;
      readonly isPrivate?: boolean;
      readonly defaultBranch?: string;
    },
    actor: Actor,
  ): Promise<Repository> {
    const { repositories, creator, store, events, settings } = this.deps;
    if (!template.isTemplate) throw Invalid(t.later('error.noTemplate'));
    repositories.checkName(options.name);
    const { gitContent, topics, avatar } = options;
    const refused = new Set(await this.#notOffered(actor));
    const asked = new Set([...(options.parts ?? [])].filter((key) => !refused.has(key)));
    // what was asked for without the right to is passed over
    if (!gitContent && !topics && !avatar && !options.parts?.size) throw Invalid(t.later('error.noItems'));
    const branch = options.defaultBranch || template.defaultBranch;
    creator.checkBranchName(branch);
    const made = await creator.establish(
      owner,
      {
        name: options.name,
        description: options.description,
        isPrivate: settings.forcePrivate || options.isPrivate,
        defaultBranch: branch,
        objectFormat: template.objectFormat,
        trustModel: template.trustModel,
        units: creator.units(),
        avatar: avatar ? template.avatar : '',
      },
      actor,
      async (row) => {
        await store.create(row.id, { defaultBranch: branch, objectFormat: template.objectFormat });
        if (gitContent) await this.#from(template, () => this.#takeFiles(template, row, owner, branch, actor));
      },
      async (row) => {
        if (!(await repositories.byId(template.id))) throw NotFound('repository');
        if (topics && template.topics.length) await creator.setTopics(row, template.topics);
        const ids = { templateId: template.id, repositoryId: row.id };
        for (const part of this.deps.templateParts.list()) if (asked.has(part.key)) await part.copy(ids);
        await events.emit(repositoryGenerated, { ...ids, actorId: actor.id });
      },
    );
    return (await repositories.byId(made.id)) ?? made;
  }

  /** What other plugins can copy for this actor. */
  async offeredParts(actor: Actor): Promise<readonly TemplateContent[]> {
    const refused = new Set(await this.#notOffered(actor));
    return this.deps.templateParts.list().filter(({ key }) => !refused.has(key));
  }

  async #notOffered(actor: Actor): Promise<string[]> {
    const asked = this.deps.templateParts.list().filter((part) => part.offered);
    const answers = await Promise.all(asked.map((part) => part.offered!(actor)));
    return asked.filter((_, index) => !answers[index]).map(({ key }) => key);
  }

  async #takeFiles(template: Repository, row: Repository, owner: Account, branch: string, actor: Actor): Promise<void> {
    const { repositories, store, reader, writer, commits, addresses } = this.deps;
    const head = await reader.open(template.id).resolve(template.defaultBranch);
    if (!head) return;
    await store.fetchObjects(template.id, row.id, [head.commit], { withoutHistory: true });
    await commits.commit({
      repositoryId: row.id,
      branch,
      actor,
      source: 'internal',
      action: 'initial',
      skipChecks: true,
      plan: async () => ({
        tree: await fillIn({ reader, writer }, row.id, head.commit, templateVariables(row, template, addresses)),
        parents: [],
        author: await commits.signatureOf(actor, owner),
        message: 'Initial commit\n',
        facts: firstCommit.with(true),
      }),
    });
    await repositories.setDerived(row.id, { isEmpty: false });
  }
}
