import {
  Conflict,
  Forbidden,
  Invalid,
  Problem,
  type Actor,
  type Database,
  type Jobs,
  type PointReader,
} from '@mortise/plugin-sdk';
import type { GitRemotes, GitStore } from '@mortise/git/api';
import type { Account } from '@mortise/accounts/api';
import type { Repositories, Repository, RepositoryDefaults, RepositoryCreator } from '@mortise/repositories/api';
import type { MigrationSource } from '../api.js';
import type { AuthorMapping, StepProgress } from '../contract/importer.js';
import type { ImportKind, SourceField } from '../contract/source.js';
import { runImport } from '../jobs/jobs.js';
import { activeStates, isActive, type RepositoryImport, type ImportStore } from './import-store.js';
import type { ImportNotifier } from './notifier.js';
import { isSecret, sourceOptionsOf, splitValues } from './options.js';
import type { ProgressStore } from './progress-store.js';
import type { ImportSettings } from '../settings.js';
import { t } from '../texts/index.js';

/** What somebody wants to import, as they said it. */
interface ImportRequest {
  readonly service: string;
  readonly address: string;
  readonly name: string;
  readonly isPrivate: boolean;
  readonly description: string;
  readonly kinds: readonly ImportKind[];
  /** Fields of the source, by their names. */
  readonly values: Readonly<Record<string, string>>;
  readonly lfsEndpoint: string;
  readonly authors: AuthorMapping;
  /** Of those that are begun together; empty: alone. */
  readonly batch: string;
}

interface ImportServiceDeps {
  readonly database: Database;
  readonly jobs: Jobs;
  readonly remotes: GitRemotes;
  readonly store: GitStore;
  readonly repositories: Repositories;
  readonly defaults: RepositoryDefaults;
  readonly creator: RepositoryCreator;
  readonly imports: ImportStore;
  readonly progress: ProgressStore;
  readonly sources: PointReader<MigrationSource>;
  readonly notifier: ImportNotifier;
  readonly settings: Pick<ImportSettings, 'MAX_PENDING'>;
}

/** Steps that are shown: those that were asked for. */
const isStepRequested = (kinds: ReadonlySet<ImportKind>, step: StepProgress['step']): boolean => {
  if (step === 'code') return true;
  if (step === 'comments' || step === 'projects') return kinds.has('issues') || kinds.has('pull_requests');
  if (step === 'reviews') return kinds.has('pull_requests');
  return kinds.has(step);
};

const lookEveryMs = 1000;
/** For so long an import that failed or was cancelled can go on with the credentials that it has. */
const credentialsMs = 7 * 86_400_000;

/** Begins, watches, cancels and repeats imports. */
export class ImportService {
  constructor(private readonly deps: ImportServiceDeps) {}

  /** The source with that key; Invalid for another. */
  sourceOf(service: string): MigrationSource {
    const source = this.deps.sources.get(service);
    if (!source) throw Invalid(t.later('error.service', { service }));
    return source;
  }

  /** Makes the repository and has it written in the background. Throws what can be said before anybody is asked. */
  async start(request: ImportRequest, owner: Account, actor: Actor): Promise<Repository> {
    const { creator, store, imports, jobs, repositories, defaults } = this.deps;
    if (actor.publicOnly) throw Forbidden(t.later('error.publicOnly'));
    repositories.checkName(request.name);
    const source = this.sourceOf(request.service);
    const { address, credentials } = this.addressOf(request);
    if (request.lfsEndpoint) this.#checkEndpoint(request.lfsEndpoint);
    const { values, secrets } = splitValues(source, request.values);
    const kinds = request.kinds.filter((kind) => source.kinds.includes(kind));
    const options = {
      kinds,
      authors: request.authors,
      values,
      lfsEndpoint: request.lfsEndpoint,
      description: request.description,
    };
    const allSecrets = { ...credentials, ...secrets };
    source.check?.(sourceOptionsOf({ address, options }, allSecrets));
    const max = this.deps.settings.MAX_PENDING;
    if ((await imports.countActive(actor.id)) >= max) throw Forbidden(t.later('error.tooMany', { max }));
    return creator.establish(
      owner,
      {
        name: request.name,
        description: request.description,
        isPrivate: defaults.forcePrivate || request.isPrivate,
        defaultBranch: defaults.branch,
        units: creator.units(),
        originalUrl: address,
        status: 'migrating',
      },
      actor,
      (repository) => store.create(repository.id, { defaultBranch: defaults.branch }),
      async ({ id: repositoryId }) => {
        await imports.add({
          repositoryId,
          userId: actor.id,
          batch: request.batch,
          service: source.key,
          address,
          options,
          credentials: allSecrets,
        });
        await jobs.enqueue(
          runImport,
          { repositoryId },
          { uniqueKey: `migrations:${repositoryId}`, group: String(actor.id) },
        );
      },
    );
  }

  /** The address without user name and password, which go with the credentials. Invalid for what cannot be. */
  addressOf({ address }: Pick<ImportRequest, 'address'>): {
    readonly address: string;
    readonly credentials: Readonly<Record<string, string>>;
  } {
    const { remotes } = this.deps;
    const parsed = remotes.parse(address);
    remotes.check(parsed);
    return {
      address: parsed.url,
      credentials: {
        ...(parsed.username && parsed.protocol !== 'ssh' && { auth_username: parsed.username }),
        ...(parsed.password && { auth_password: parsed.password }),
      },
    };
  }

  /** It is stored and used as it is. */
  #checkEndpoint(endpoint: string): void {
    const { remotes } = this.deps;
    const parsed = remotes.parse(endpoint, ['http', 'https']);
    remotes.check(parsed);
    if (parsed.username || parsed.password) throw Invalid(t.later('error.endpointLogin'));
  }

  /** Ends when the import has, or after that time; undefined: it was deleted. */
  async waitFor(
    repositoryId: number,
    milliseconds: number,
    signal?: AbortSignal,
  ): Promise<RepositoryImport | undefined> {
    const until = Date.now() + milliseconds;
    for (;;) {
      const repositoryImport = await this.deps.imports.of(repositoryId);
      if (!repositoryImport || !isActive(repositoryImport) || Date.now() >= until || signal?.aborted)
        return repositoryImport;
      await new Promise<void>((resolve) => {
        const go = () => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', go);
          stop();
          resolve();
        };
        const timer = setTimeout(go, lookEveryMs);
        signal?.addEventListener('abort', go, { once: true });
        const stop = this.deps.notifier.onChanged(repositoryId, go);
      });
    }
  }

  /** Notes name what few may see, such as drafts of releases: they are for those who administer the repository. */
  async progress(repositoryImport: RepositoryImport, mayAdminister: boolean): Promise<StepProgress[]> {
    const [{ steps } = { steps: [] }] = await this.withProgress([repositoryImport]);
    return mayAdminister ? steps : steps.map((step) => ({ ...step, note: '' }));
  }

  /** The steps of each that were asked for; one query however many. */
  async withProgress(
    imports: readonly RepositoryImport[],
  ): Promise<{ readonly repositoryImport: RepositoryImport; readonly steps: StepProgress[] }[]> {
    const steps = await this.deps.progress.stepsOf(imports.map(({ repositoryId }) => repositoryId));
    return imports.map((repositoryImport) => {
      const kinds = new Set(repositoryImport.options.kinds);
      const requestedSteps = steps
        .get(repositoryImport.repositoryId)!
        .filter(({ step }) => isStepRequested(kinds, step));
      return { repositoryImport, steps: requestedSteps.map(({ position: _position, ...step }) => step) };
    });
  }

  /** What was brought stays; the repository can be deleted, or the import repeated. Conflict where it has ended. */
  async cancel({ repositoryId, userId }: RepositoryImport): Promise<void> {
    const { database, imports, notifier } = this.deps;
    const isCancelled = await database.write(() =>
      imports.move(repositoryId, { states: activeStates }, { state: 'cancelled' }),
    );
    if (!isCancelled) throw Conflict(t.later('error.ended'));
    await notifier.cancelled(userId, repositoryId);
  }

  /** Fields that a source needs to be asked with other credentials. */
  credentialFieldsOf({ service }: RepositoryImport): readonly SourceField[] {
    return this.deps.sources.get(service)?.fields.filter((field) => isSecret(field.name, [field])) ?? [];
  }

  /**
   * Goes on where it was, for another time of `MAX_HOURS`. Credentials that are given take the place of those of the same
   * name. Conflict where it runs, or is done.
   */
  async retry(repositoryImport: RepositoryImport, given: Readonly<Record<string, string>> = {}): Promise<void> {
    const { database, imports, jobs, notifier } = this.deps;
    const { repositoryId, userId } = repositoryImport;
    const names = new Set(this.credentialFieldsOf(repositoryImport).map(({ name }) => name));
    const changed = Object.entries(given).filter(([name, value]) => value && names.has(name));
    await database.write(async () => {
      const credentials = { ...(await imports.credentials(repositoryId)), ...Object.fromEntries(changed) };
      const isQueued = await imports.move(
        repositoryId,
        { states: ['failed', 'cancelled'] },
        { state: 'queued', pauses: 0, ranMs: 0, ...(changed.length && { credentials }) },
      );
      if (!isQueued) throw Conflict(t.later('error.running'));
      await jobs.enqueue(
        runImport,
        { repositoryId },
        { uniqueKey: `migrations:${repositoryId}`, group: String(userId) },
      );
    });
    await notifier.changed(userId, repositoryId);
  }

  /** Of an import over the API that failed: nothing is left of it. False: somebody let it go on meanwhile. */
  async discard(repository: Repository, { error, reason }: RepositoryImport, actorId: number): Promise<boolean> {
    const { database, imports, repositories } = this.deps;
    try {
      return await database.write(async () => {
        // nobody lets it go on from here
        const isFailed = await imports.move(repository.id, { states: ['failed'] }, { state: 'failed', error, reason });
        if (isFailed) await repositories.delete(repository, actorId);
        return isFailed;
      });
    } catch (failure) {
      if (!Problem.is(failure) || failure.code !== 'not_found') throw failure;
      return true;
    }
  }

  /** Imports whose worker died: their process is gone, and its job with it. */
  async resume(): Promise<void> {
    const { database, imports, jobs } = this.deps;
    await database.write(async () => {
      for (const { repositoryId, userId } of await imports.takeStale(Date.now() - 120_000, 100))
        await jobs.enqueue(
          runImport,
          { repositoryId },
          { uniqueKey: `migrations:${repositoryId}`, group: String(userId) },
        );
    });
  }

  /** Credentials of imports that failed or were cancelled, and that nobody let go on in time. */
  async forgetCredentials(now = Date.now()): Promise<void> {
    const { database, imports } = this.deps;
    await database.write(() => imports.forgetCredentials(now - credentialsMs));
  }
}
