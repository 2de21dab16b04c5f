import {
  contains,
  database,
  Invalid,
  NotFound,
  Problem,
  systemActor,
  type Database,
  type PluginHost,
} from '@mortise/plugin-sdk';
import { repositoryStorages, type RepositoryStorages } from '@mortise/git/api';
import { repositories, type Repositories, type Repository } from '../api.js';
import { RepositoryRow } from '../models/repository.js';

const listStep = 500;

/** `mortise admin repo …`: repositories from the command line. */
export function repositoryCommands(host: PluginHost): void {
  host.commandGroup({
    name: 'admin repo',
    summary: 'List, adopt and delete repositories',
    example: 'admin repo list',
  });
  host.command(
    {
      name: 'admin repo list',
      summary: 'List repositories of all owners',
      options: [{ flags: '--query <text>', description: 'Part of the name' }],
    },
    { database },
    async ({ args, print }, services) => {
      const text = typeof args.query === 'string' ? args.query : '';
      print('ID\tName\tPrivate\tArchived\tBytes');
      for (let last = 0; ;) {
        const query = services.database.query(RepositoryRow).where('is_ready', true).where('id', '>', last);
        if (text) void query.where(contains('lower_name', text));
        const rows = await query.orderBy('id').limit(listStep);
        for (const row of rows)
          print(
            [row.id, `${row.owner_name}/${row.name}`, row.is_private, row.is_archived, Number(row.size_bytes)].join(
              '\t',
            ),
          );
        if (rows.length < listStep) return;
        last = rows.at(-1)!.id;
      }
    },
  );
  host.command(
    {
      name: 'admin repo delete',
      summary: 'Delete a repository with all that belongs to it',
      options: [{ flags: '--name <owner/name>', description: 'The repository', required: true }],
    },
    { repositories },
    async ({ args, print }, services) => {
      const repository = await repositoryAt(services.repositories, args.name);
      const [record] = await services.repositories.toApi([repository], systemActor('command line'));
      await services.repositories.delete(repository, undefined, record);
      print(`Repository ${repository.ownerName}/${repository.name} was deleted.`);
    },
  );
  storageCommands(host);
}

/** `mortise repositories …`: the disks that repositories lie on. */
function storageCommands(host: PluginHost): void {
  host.commandGroup({
    name: 'repositories',
    summary: 'Show the storages of git, and move repositories between them',
    example: 'repositories move ada/abacus --to fast',
  });
  host.command(
    { name: 'repositories storages', summary: 'List the storages of [git.storages] and how full their disks are' },
    { storages: repositoryStorages },
    async ({ print }, { storages }) => {
      print('Name\tWeight\tFree bytes\tBytes\tPath');
      for (const { name, weight, disk, path } of await storages.list())
        print([name, weight, disk?.freeBytes ?? 'not mounted', disk?.totalBytes ?? '', path].join('\t'));
    },
  );
  host.command(
    {
      name: 'repositories move',
      summary: 'Move a repository, or all of a storage, to another storage while it is used',
      positionals: '[owner/name]',
      options: [
        { flags: '--to <storage>', description: 'Where to, as [git.storages] names it', required: true },
        { flags: '--all', description: 'Every repository of the storage of --from' },
        { flags: '--from <storage>', description: 'Only what lies there, with --all' },
      ],
    },
    { database, repositories, storages: repositoryStorages },
    async ({ args, positionals, print }, services) => {
      const [path] = positionals;
      const { to, from } = args;
      if (typeof to !== 'string' || (args.all === true) === (path !== undefined))
        throw Invalid('Give a repository as owner/name, or --all with --from.');
      const names = new Set((await services.storages.list()).map(({ name }) => name));
      for (const name of [to, ...(from === undefined ? [] : [from])])
        if (typeof name !== 'string' || !names.has(name))
          throw NotFound(`There is no storage "${String(name)}" in [git.storages].`);
      if (path !== undefined) {
        const { id } = await repositoryAt(services.repositories, path);
        const isMoved = await moveRepository(services.storages, id, { to });
        print(isMoved ? `Repository ${path} lies on ${to} now.` : `Repository ${path} lies on ${to} already.`);
        return;
      }
      if (typeof from !== 'string') throw Invalid('Say with --from which storage is to be emptied.');
      await moveAll(services, { from, to }, print);
    },
  );
}

/** One that cannot be moved now does not keep the others; the command fails in the end. */
async function moveAll(
  { database, storages }: { readonly database: Database; readonly storages: RepositoryStorages },
  move: { readonly from: string; readonly to: string },
  print: (line: string) => void,
): Promise<void> {
  let moved = 0;
  let failed = 0;
  for (let last = 0; ;) {
    const rows = await database.query(RepositoryRow).where('id', '>', last).orderBy('id').limit(listStep);
    for (const { id, owner_name: owner, name } of rows)
      try {
        if (await moveRepository(storages, id, move)) moved++;
      } catch (error) {
        failed++;
        print(`${owner}/${name} was not moved: ${(error as Error).message}`);
      }
    if (rows.length < listStep) break;
    last = rows.at(-1)!.id;
  }
  print(`${moved} repositories were moved from ${move.from} to ${move.to}.`);
  if (failed > 0) throw new Problem('unavailable', `${failed} repositories were not moved. Run the command again.`);
}

/** With its wiki; only what lies on `from`, where that is given. */
async function moveRepository(
  storages: RepositoryStorages,
  id: number,
  { from, to }: { readonly from?: string; readonly to: string },
): Promise<boolean> {
  let isMoved = false;
  for (const kind of ['code', 'wiki'] as const) {
    const now = await storages.storageOf(id, kind);
    if (now === undefined || (from !== undefined && now !== from)) continue;
    if (await storages.move(id, to, kind)) isMoved = true;
  }
  return isMoved;
}

async function repositoryAt(service: Repositories, path: unknown): Promise<Repository> {
  const [owner, name, ...more] = (typeof path === 'string' ? path : '').split('/');
  if (!owner || !name || more.length) throw Invalid('Give the repository as owner/name.');
  const repository = await service.byPath(owner, name);
  if (!repository) throw NotFound(`Repository ${owner}/${name} does not exist.`);
  return repository;
}
