import { Invalid, NotFound, type CommandContext, type PluginHost } from '@mortise/plugin-sdk';
import { accounts, type Accounts, type Visibility } from '@mortise/accounts/api';
import { organizations } from '../api.js';

const listStep = 500;
const given = ({ args }: CommandContext, name: string): string => {
  const value = args[name];
  return typeof value === 'string' ? value : '';
};

async function named(service: Accounts, name: string, kind: 'user' | 'organization') {
  const account = await service.byName(name);
  if (account?.kind !== kind) throw NotFound(`${kind === 'user' ? 'User' : 'Organization'} ${name} does not exist.`);
  return account;
}

/** `mortise admin org …`: organizations from the command line. */
export function organizationCommands(host: PluginHost): void {
  const name = { flags: '--name <name>', description: 'Name of the organization', required: true } as const;

  host.commandGroup({
    name: 'admin org',
    summary: 'List, create, rename and delete organizations',
    example: 'admin org create --name makers --owner ada',
  });
  host.command(
    { name: 'admin org list', summary: 'List organizations', options: [] },
    { accounts },
    async ({ print }, services) => {
      print('ID\tName\tVisibility');
      for (let offset = 0; ; offset += listStep) {
        const { items } = await services.accounts.search({ kind: 'organization', sort: 'id', limit: listStep, offset });
        for (const one of items) print([one.id, one.name, one.visibility].join('\t'));
        if (items.length < listStep) return;
      }
    },
  );
  host.command(
    {
      name: 'admin org create',
      summary: 'Create an organization',
      options: [
        name,
        { flags: '--owner <name>', description: 'The person who owns it', required: true },
        { flags: '--full-name <name>', description: 'Full name' },
        { flags: '--visibility <word>', description: 'public, limited or private' },
      ],
    },
    { accounts, organizations },
    async (context, services) => {
      const owner = await named(services.accounts, given(context, 'owner'), 'user');
      const visibility = given(context, 'visibility') || undefined;
      if (visibility && !['public', 'limited', 'private'].includes(visibility))
        throw Invalid(`Unknown visibility: ${visibility}.`);
      const { account } = await services.organizations.create(
        {
          name: given(context, 'name'),
          fullName: given(context, 'fullName') || undefined,
          visibility: visibility as Visibility | undefined,
        },
        owner,
      );
      context.print(`Organization ${account.name} was created.`);
    },
  );
  host.command(
    {
      name: 'admin org rename',
      summary: 'Rename an organization; its old name redirects until it is reused',
      options: [name, { flags: '--new-name <name>', description: 'The new name', required: true }],
    },
    { accounts },
    async (context, services) => {
      const account = await named(services.accounts, given(context, 'name'), 'organization');
      const renamed = await services.accounts.rename(account.id, given(context, 'newName'));
      context.print(`Organization ${account.name} is now called ${renamed.name}.`);
    },
  );
  host.command(
    {
      name: 'admin org delete',
      summary: 'Delete an organization',
      options: [name, { flags: '--purge', description: 'Also what it owns' }],
    },
    { accounts, organizations },
    async (context, services) => {
      const account = await named(services.accounts, given(context, 'name'), 'organization');
      await services.organizations.delete(account.id, { purge: context.args.purge === true });
      context.print(`Organization ${account.name} was deleted.`);
    },
  );
}
