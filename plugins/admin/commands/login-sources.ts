import { Invalid, NotFound, type PluginHost } from '@mortise/plugin-sdk';
import { loginSources } from '@mortise/accounts/api';

/** `mortise admin auth …`: what is the same for all kinds of login sources; kinds add theirs. */
export function loginSourceCommands(host: PluginHost): void {
  host.command(
    { name: 'admin auth list', summary: 'List login sources', options: [] },
    { loginSources },
    async ({ print }, services) => {
      print('ID\tName\tType\tEnabled');
      for (const { id, name, kind, isActive } of await services.loginSources.list())
        print([id, name, kind, isActive].join('\t'));
    },
  );
  host.command(
    {
      name: 'admin auth delete',
      summary: 'Delete a login source that no account belongs to',
      options: [{ flags: '--id <id>', description: 'Its number in the list', required: true }],
    },
    { loginSources },
    async ({ args, print }, services) => {
      const id = Number(args.id);
      if (!Number.isInteger(id)) throw Invalid('The id is a whole number.');
      const source = await services.loginSources.byId(id);
      if (!source) throw NotFound(`Login source ${id} does not exist.`);
      await services.loginSources.delete(id);
      print(`Login source ${source.name} was deleted.`);
    },
  );
}
