import { randomUUID } from 'node:crypto';
import {
  Problem,
  type Database,
  type JobContext,
  type Jobs,
  type Logger,
  type Outbound,
  type PointReader,
} from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { GitRemotes } from '@mortise/git/api';
import { removeOrphans, type Repositories, type Repository, type RepositoryCreator } from '@mortise/repositories/api';
import { type MigrationSource } from '../api.js';
import { SourceFailure, type SourceOptions, type SourceReader, type SourceTools } from '../contract/source.js';
import type { RepositoryImporter } from '../contract/importer.js';
import type { SourceRepository } from '../contract/records.js';
import { runImport } from '../jobs/jobs.js';
import type { ImportSettings } from '../settings.js';
import { PacedClient } from './client.js';
import { CodeImport, type CodeImportDeps } from './code-import.js';
import { cleanLine, cleanList } from './sanitize.js';
import { LfsDownload } from './lfs-download.js';
import { activeStates, type RepositoryImport, type ImportStore } from './import-store.js';
import { credentialsAt, sourceOptionsOf } from './options.js';
import type { ImportNotifier } from './notifier.js';
import { sourceMemory } from './source-memory.js';

interface ImportRunnerDeps extends CodeImportDeps {
  readonly database: Database;
  readonly jobs: Jobs;
  readonly outbound: Outbound;
  readonly accounts: Accounts;
  readonly remotes: GitRemotes;
  readonly repositories: Repositories;
  readonly creator: RepositoryCreator;
  readonly imports: ImportStore;
  readonly importer: RepositoryImporter;
  readonly sources: PointReader<MigrationSource>;
  readonly notifier: ImportNotifier;
  readonly settings: ImportSettings;
  readonly log: Logger;
}

/** Pauses that one import waits for. */
const maxPauses = 200;
const maxTopics = 25;
const describeMs = 30_000;

/** This run has no business here any more: the import was cancelled, deleted, or another process has it. */
class Superseded extends Error {}

/** Others wait, and this run has had its turn. */
class TurnOver extends Error {}
const turnMs = 10 * 60_000;

/** Runs an import from where it is to its end, to the next pause, or for a turn where others wait. */
export class ImportRunner {
  readonly #code: CodeImport;

  constructor(private readonly deps: ImportRunnerDeps) {
    this.#code = new CodeImport(deps);
  }

  async run(
    repositoryId: number,
    context: Pick<JobContext, 'signal' | 'progress'>,
    turnEndsAt = Date.now() + turnMs,
  ): Promise<void> {
    const run = randomUUID();
    const { database, imports, repositories } = this.deps;
    const began = await database.write(() =>
      imports.move(repositoryId, { states: activeStates }, { state: 'running', run }),
    );
    const [repositoryImport, repository] = [await imports.of(repositoryId), await repositories.byId(repositoryId)];
    if (!began || !repositoryImport || !repository) return;
    const ending = new AbortController();
    const signal = AbortSignal.any([context.signal, ending.signal]);
    const stopListening = this.deps.notifier.onCancelled(repositoryId, () => ending.abort(new Superseded()));
    const alive = setInterval(() => void this.#beat(repositoryId, run, ending, context), 3000);
    try {
      await this.#import(repositoryImport, repository, { run, signal, turnEndsAt });
      await this.#end(repository, run);
    } catch (error) {
      if (error instanceof Superseded || ending.signal.aborted) return;
      // another process goes on, or this one does when it is back
      if (context.signal.aborted) throw error;
      if (error instanceof TurnOver) return await this.#queueAgain(repositoryImport, run, { state: 'queued' });
      await this.#fail(repositoryImport, run, error);
    } finally {
      clearInterval(alive);
      stopListening();
      await removeOrphans(repositoryId, this.deps);
      await this.deps.notifier.changed(repositoryImport.userId, repositoryId);
    }
  }

  async #import(
    repositoryImport: RepositoryImport,
    repository: Repository,
    { run, signal, turnEndsAt }: { readonly run: string; readonly signal: AbortSignal; readonly turnEndsAt: number },
  ): Promise<void> {
    const { repositoryId, userId, options: asked } = repositoryImport;
    if (repositoryImport.ranMs > this.deps.settings.MAX_HOURS * 3_600_000)
      throw new SourceFailure('unreachable', `The import took longer than ${this.deps.settings.MAX_HOURS} hours.`);
    const actor = await this.#actorOf(userId);
    const options = sourceOptionsOf(repositoryImport, await this.deps.imports.credentials(repositoryId));
    const { reader, client } = await this.#connect(repositoryImport, options, signal);
    const source = await this.#describe(repository, repositoryImport, await reader.repository());
    const check = () => this.#check(repositoryId, run);
    const notify = () => this.deps.notifier.changed(userId, repositoryId);
    const at = (address: string) => credentialsAt(this.deps.remotes, options, address);
    const lfsObjects = options.kinds.has('lfs') ? this.deps.lfs() : undefined;
    const lfs = lfsObjects && endpointOf(asked.lfsEndpoint, this.deps.remotes.parse(source.cloneUrl).url);
    const bringing = {
      repository,
      source,
      credentialsAt: at,
      actor,
      signal,
      check,
      notify,
      hasPulls: options.kinds.has('pull_requests'),
      lfs: lfs ? new LfsDownload({ client, objects: lfsObjects, endpoint: lfs, credentials: at(lfs) }) : undefined,
    };
    await this.#code.code(bringing);
    if (options.kinds.has('wiki')) await this.#code.wiki(bringing);
    const present = (await this.deps.repositories.byId(repositoryId)) ?? repository;
    await this.deps.importer.run({
      repository: present,
      reader,
      kinds: options.kinds,
      actor,
      authors: asked.authors,
      signal,
      check,
      // after a page, from which it goes on: a source may be slow for days
      onProgress: async () => {
        await notify();
        if (Date.now() >= turnEndsAt && (await this.deps.imports.areOthersQueued(repositoryId))) throw new TurnOver();
      },
    });
    await this.deps.creator.setTopics(present, topicsOf(source));
  }

  async #connect(
    { service, repositoryId, options: asked }: RepositoryImport,
    options: SourceOptions,
    signal: AbortSignal,
  ): Promise<{ reader: SourceReader; client: PacedClient }> {
    const source = this.deps.sources.get(service);
    if (!source) throw new SourceFailure('notFound', `There is no source “${service}” on this site any more.`);
    const memory = sourceMemory(asked.memory, (all) => this.deps.imports.remember(repositoryId, all));
    const tools = this.tools(signal, memory);
    return { reader: await source.connect(options, tools), client: tools.client };
  }

  /** What sources work with; also for lists of repositories. */
  tools(signal: AbortSignal, memory = sourceMemory()): SourceTools & { readonly client: PacedClient } {
    const { outbound, remotes, settings, log } = this.deps;
    const allowedHosts = (host: string) => remotes.allowedHosts(host);
    return { client: new PacedClient({ outbound, allowedHosts, settings, signal }), memory, log, signal };
  }

  /** What the source says of a repository; empty where it says nothing, or cannot be asked. */
  async descriptionOf(
    service: string,
    address: string,
    values: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<string> {
    const source = this.deps.sources.get(service);
    if (!source) return '';
    const options = { address: this.deps.remotes.parse(address).url, values, kinds: new Set<never>() };
    const either = AbortSignal.any([signal, AbortSignal.timeout(describeMs)]);
    try {
      const reader = await source.connect(options, this.tools(either));
      return cleanLine((await reader.repository()).description, 2048);
    } catch (error) {
      signal.throwIfAborted();
      if (!Problem.is(error) && !either.aborted)
        this.deps.log.error('could not read the description of an import source', {
          event: 'import.describe',
          service,
          error,
        });
      return '';
    }
  }

  /** Its description, unless the importer gave one. */
  async #describe(
    repository: Repository,
    { options }: RepositoryImport,
    source: SourceRepository,
  ): Promise<SourceRepository> {
    const description = options.description || cleanLine(source.description, 2048);
    const website = cleanLine(source.website, 1024);
    await this.deps.creator.describe(repository.id, {
      description,
      ...(/^https?:\/\/[^\s]+$/i.test(website) && { website }),
    });
    return source;
  }

  async #actorOf(userId: number) {
    const account = await this.deps.accounts.byId(userId);
    const refusal = account && this.deps.accounts.refusal(account);
    if (!account || refusal)
      throw new SourceFailure('forbidden', 'The account of the importer may not sign in any more.');
    return this.deps.accounts.actorOf(account, '');
  }

  /** In each transaction: nothing is written by a run that is not the last one. */
  async #check(repositoryId: number, run: string): Promise<void> {
    const { database, imports } = this.deps;
    const isAlive = await database.write(() => imports.beat(repositoryId, run));
    if (!isAlive) throw new Superseded();
  }

  async #beat(
    repositoryId: number,
    run: string,
    ending: AbortController,
    context: Pick<JobContext, 'progress'>,
  ): Promise<void> {
    try {
      await this.#check(repositoryId, run);
      await context.progress(0, 0);
    } catch (error) {
      if (error instanceof Superseded) ending.abort(error);
    }
  }

  async #end({ id }: Repository, run: string): Promise<void> {
    const { database, imports, creator, repositories, importer } = this.deps;
    const isEnded = await database.write(async () => {
      const moved = await imports.move(id, { states: ['running'], run }, { state: 'done', credentials: {} });
      if (moved) await creator.describe(id, { status: 'ready' });
      return moved;
    });
    if (!isEnded) return;
    await importer.forget(id);
    const repository = await repositories.byId(id);
    if (repository) await repositories.setDerived(id, { pushedAt: repository.createdAt });
  }

  /** Another run goes on, at once behind those that wait, or when a pause is over. */
  async #queueAgain(
    { repositoryId, userId }: RepositoryImport,
    run: string,
    to: { readonly state: 'queued' | 'paused'; readonly resumesAt?: number; readonly pauses?: number },
  ): Promise<void> {
    const { database, imports, jobs } = this.deps;
    await database.write(async () => {
      if (await imports.move(repositoryId, { states: ['running'], run }, to))
        await jobs.enqueue(
          runImport,
          { repositoryId },
          { runAt: to.resumesAt, uniqueKey: `migrations:${repositoryId}`, group: String(userId) },
        );
    });
  }

  /** A pause that the source asked for, or a failure that is shown with a way to try again. */
  async #fail(repositoryImport: RepositoryImport, run: string, error: unknown): Promise<void> {
    const { repositoryId, pauses } = repositoryImport;
    const { database, imports, log } = this.deps;
    const isLimited = SourceFailure.is(error) && error.reason === 'limited' && error.until !== undefined;
    if (isLimited && pauses < maxPauses) {
      const to = { state: 'paused', resumesAt: error.until!, pauses: pauses + 1 } as const;
      return this.#queueAgain(repositoryImport, run, to);
    }
    const isOurs = !SourceFailure.is(error) && !Problem.is(error);
    if (isOurs)
      log.error('import failed', {
        event: 'import.failed',
        repositoryId,
        error: String((error as Error).stack ?? error).slice(0, 2000),
      });
    const message = isOurs
      ? 'Something went wrong on this server; administrators find more in its log.'
      : error.message;
    const reason = SourceFailure.is(error) ? error.reason : isOurs ? 'internal' : 'invalidData';
    await database.write(() =>
      imports.move(repositoryId, { states: ['running'], run }, { state: 'failed', error: message, reason }),
    );
  }
}

/** The one that was given is the server of LFS itself. */
const endpointOf = (given: string, cloneAddress: string): string | undefined =>
  given ? given.replace(/\/+$/, '') : lfsEndpoint(cloneAddress);

/** Where a clone address has its LFS (git-lfs, docs/api/server-discovery.md); undefined for what is not http. */
const lfsEndpoint = (address: string): string | undefined =>
  /^https?:\/\//.test(address)
    ? /\/info\/lfs\/?$/.test(address)
      ? address.replace(/\/$/, '')
      : `${address.replace(/\/$/, '').replace(/(?:\.git)?$/, '.git')}/info/lfs`
    : undefined;

/** Topics as this site takes them. */
export const topicsOf = ({ topics }: SourceRepository): string[] => [
  ...new Set(
    cleanList(topics, maxTopics)
      .map((topic) => cleanLine(topic, 35).toLowerCase())
      .filter((topic) => /^[a-z0-9][-.a-z0-9]{0,34}$/.test(topic)),
  ),
];
