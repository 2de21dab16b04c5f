import { contains, database, Invalid, NotFound, systemActor, type PluginHost } from '@mortise/plugin-sdk';
import { repositories } from '../api.js';
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
      const [owner, name, ...more] = (typeof args.name === 'string' ? args.name : '').split('/');
      if (!owner || !name || more.length) throw Invalid('Give the repository as owner/name.');
      const repository = await services.repositories.byPath(owner, name);
      if (!repository) throw NotFound(`Repository ${owner}/${name} does not exist.`);
      const [record] = await services.repositories.toApi([repository], systemActor('command line'));
      await services.repositories.delete(repository, undefined, record);
      print(`Repository ${repository.ownerName}/${repository.name} was deleted.`);
    },
  );
}
