import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Conflict, NotFound, type CommandContext, type Logger, type PointReader } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { Attachments } from '@mortise/attachments/api';
import {
  remoteFailureOf,
  type GitFolders,
  type GitReader,
  type GitRemotes,
  type GitStore,
  type RemoteCredentials,
} from '@mortise/git/api';
import type { LfsObjects } from '@mortise/lfs/api';
import type { Repositories, Repository } from '@mortise/repositories/api';
import type { MigrationSource } from '../api.js';
import type { ImportKind, SourceReader } from '../contract/source.js';
import type { SourceRepository } from '../contract/records.js';
import { DumpWriter } from '../dump/writer.js';
import { dumpUnits, type DumpUnit } from '../dump/units.js';
import { targetOf } from './code-import.js';
import type { ImportRunner } from './import-runner.js';
import { credentialsAt } from './options.js';
import { responsibleFor } from './responsible.js';
import { siteReader } from './site-reader.js';

interface RepositoryDumpDeps {
  readonly accounts: Accounts;
  readonly repositories: Repositories;
  readonly attachments: Attachments;
  readonly folders: GitFolders;
  readonly gitReader: GitReader;
  readonly store: GitStore;
  readonly remotes: GitRemotes;
  readonly importRunner: Pick<ImportRunner, 'tools'>;
  readonly sources: PointReader<MigrationSource>;
  /** Undefined where there is no LFS. */
  readonly lfs: () => LfsObjects | undefined;
  readonly log: Logger;
}

interface DumpOptions {
  readonly folder: string;
  readonly units: ReadonlySet<DumpUnit>;
}

/** Branches, tags, and heads of pull requests. */
export const isDumpedRef = (ref: string): boolean => /^refs\/(?:heads|tags)\/.|^refs\/pull\/\d{1,10}\/head$/.test(ref);
/** Where the content of an LFS object lies below the folder of a dump. */
export const lfsPath = (oid: string): string => `lfs/objects/${oid.slice(0, 2)}/${oid.slice(2, 4)}/${oid}`;

/** Writes one repository with all its data into a folder. */
export class RepositoryDump {
  constructor(private readonly deps: RepositoryDumpDeps) {}

  /** A repository of this site. */
  async ofSite(
    path: { readonly owner: string; readonly name: string },
    options: DumpOptions,
    request: CommandContext['request'],
  ): Promise<void> {
    const { accounts, repositories, store, folders, attachments, log } = this.deps;
    const repository = await repositories.byPath(path.owner, path.name);
    const owner = repository && (await accounts.byId(repository.ownerId));
    if (!owner) throw NotFound('repository');
    const actor = await responsibleFor(owner, accounts);
    const { signal } = new AbortController();
    const reader = await siteReader(repository, options.units, { request, actor, attachments, log, signal });
    await inFolder(options.folder, async (folder) => {
      await folders.write(repository.id, join(folder, 'git'), { accepts: isDumpedRef });
      if (options.units.has('wiki') && (await store.exists(repository.id, 'wiki')))
        await folders.write(repository.id, join(folder, 'wiki'), { kind: 'wiki' });
      await this.#lfs(repository, folder);
      const described = { ...(await reader.repository()), cloneUrl: '' };
      await this.#records(reader, described, path, { ...options, folder }, signal);
    });
  }

  /** A repository of another service; objects of LFS stay there. */
  async ofService(
    service: string,
    address: string,
    values: Readonly<Record<string, string>>,
    path: { readonly owner: string; readonly name: string },
    options: DumpOptions,
  ): Promise<void> {
    const { sources, remotes, folders, importRunner } = this.deps;
    const source = sources.get(service);
    if (!source) throw NotFound(`There is no source ${service} on this site.`);
    const parsed = remotes.parse(address);
    remotes.check(parsed);
    const { signal } = new AbortController();
    const sourceValues = {
      ...(parsed.username && parsed.protocol !== 'ssh' && { auth_username: parsed.username }),
      ...(parsed.password && { auth_password: parsed.password }),
      ...values,
    };
    const kinds = new Set<ImportKind>(source.kinds.filter((kind) => (options.units as ReadonlySet<string>).has(kind)));
    const sourceOptions = { address: parsed.url, values: sourceValues, kinds };
    const reader = await source.connect(sourceOptions, importRunner.tools(signal));
    const repository = await reader.repository();
    const at = (url: string) => credentialsAt(remotes, sourceOptions, url);
    await inFolder(options.folder, async (folder) => {
      const target = targetOf(repository, options.units.has('pull_requests'));
      await folders.download(remotes.parse(repository.cloneUrl), join(folder, 'git'), {
        target,
        credentials: at(repository.cloneUrl),
      });
      if (options.units.has('wiki') && repository.wikiUrl)
        await this.#wiki(repository.wikiUrl, join(folder, 'wiki'), at(repository.wikiUrl));
      await this.#records(reader, repository, path, { ...options, folder }, signal);
    });
  }

  /** A wiki that is switched on may have no page yet. */
  async #wiki(address: string, folder: string, credentials: RemoteCredentials): Promise<void> {
    const { remotes, folders } = this.deps;
    try {
      await folders.download(remotes.parse(address), folder, { credentials });
    } catch (error) {
      if (remoteFailureOf(error) !== 'notFound' && remoteFailureOf(error) !== 'authentication') throw error;
      await rm(folder, { recursive: true, force: true });
    }
  }

  async #records(
    reader: SourceReader,
    repository: SourceRepository,
    path: { readonly owner: string; readonly name: string },
    { folder, units }: DumpOptions,
    signal: AbortSignal,
  ): Promise<void> {
    const { name, description, website = '', isPrivate, defaultBranch, cloneUrl, topics } = repository;
    const record = {
      name: path.name || name,
      owner: path.owner,
      description,
      clone_addr: cloneUrl,
      original_url: cloneUrl,
      is_private: isPrivate,
      service_type: 0,
      website,
      default_branch: defaultBranch,
      ...Object.fromEntries(
        dumpUnits.map((unit) => [
          { pull_requests: 'pulls', release_assets: 'assets' }[unit as string] ?? unit,
          units.has(unit),
        ]),
      ),
    };
    await new DumpWriter(folder, reader, units, signal).write(record, topics);
  }

  async #lfs({ id }: Repository, folder: string): Promise<void> {
    const objects = this.deps.lfs();
    if (!objects) return;
    const tips = (await this.deps.gitReader.open(id).refs()).map(({ oid }) => oid);
    if (tips.length === 0) return;
    for await (const { oid } of objects.present(id, { tips, not: [] })) {
      const content = await objects.open(id, oid);
      if (!content) continue;
      await mkdir(dirname(join(folder, lfsPath(oid))), { recursive: true });
      await pipeline(content.stream, createWriteStream(join(folder, lfsPath(oid))));
    }
  }
}

/** Under another name until it is whole. */
async function inFolder(folder: string, work: (draft: string) => Promise<void>): Promise<void> {
  const entries = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  });
  if (entries?.length) throw Conflict(`${folder} is not empty.`);
  const path = resolve(folder);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // no name of a repository has a `~`, and nothing else has the rest of this one
  const draft = await mkdtemp(`${path}~unfinished-`);
  try {
    await work(draft);
    if (entries) await rmdir(folder);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
}
