import { Invalid, NotFound, type CommandContext, type PluginHost } from '@mortise/plugin-sdk';
import { accounts, type Accounts } from '@mortise/accounts/api';

const text = (context: CommandContext, name: string): string | undefined => {
  const value = context.args[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

async function named(service: Accounts, context: CommandContext) {
  const name = text(context, 'username');
  const account = name ? await service.byName(name) : undefined;
  if (!account || account.kind !== 'user') throw NotFound(`There is no account ${name ?? ''}.`);
  return account;
}

/** `mortise admin user …`: accounts from the command line, before anybody can sign in. */
export function userCommands(host: PluginHost): void {
  const username = { flags: '--username <name>', description: 'Name of the account', required: true } as const;

  host.command(
    {
      name: 'admin user create',
      summary: 'Create an account',
      options: [
        username,
        { flags: '--password <password>', description: 'Password' },
        { flags: '--random-password', description: 'Make a password and print it' },
        { flags: '--email <address>', description: 'E-mail address', required: true },
        { flags: '--admin', description: 'The account administers the site' },
        { flags: '--must-change-password', description: 'The password has to be changed at the first sign-in' },
        { flags: '--full-name <name>', description: 'Full name' },
        { flags: '--restricted', description: 'The account sees only what it was given' },
      ],
    },
    { accounts },
    async (context, services) => {
      const made = context.args.randomPassword ? services.accounts.randomPassword() : undefined;
      const password = text(context, 'password') ?? made;
      if (!password) throw Invalid('Give --password or --random-password.');
      const account = await services.accounts.create({
        name: text(context, 'username') ?? '',
        email: text(context, 'email') ?? '',
        password,
        fullName: text(context, 'fullName'),
        isAdmin: context.args.admin === true,
        isRestricted: context.args.restricted === true ? true : undefined,
        mustChangePassword: context.args.mustChangePassword === true,
      });
      if (made && made === password) context.print(`Password: ${made}`);
      context.print(`Account ${account.name} was created.`);
    },
  );

  host.command(
    {
      name: 'admin user list',
      summary: 'List accounts',
      options: [{ flags: '--admin', description: 'Only administrators' }],
    },
    { accounts },
    async (context, services) => {
      context.print('ID\tName\tE-mail\tAdministrator\tActive');
      const step = 500;
      for (let offset = 0; ; offset += step) {
        const { items } = await services.accounts.search({
          kind: 'user',
          isAdmin: context.args.admin === true ? true : undefined,
          sort: 'id',
          limit: step,
          offset,
        });
        for (const one of items) context.print([one.id, one.name, one.email, one.isAdmin, one.isActive].join('\t'));
        if (items.length < step) return;
      }
    },
  );

  host.command(
    {
      name: 'admin user change-password',
      summary: 'Set the password of an account',
      options: [
        username,
        { flags: '--password <password>', description: 'New password', required: true },
        { flags: '--must-change-password', description: 'It has to be changed at the next sign-in' },
      ],
    },
    { accounts },
    async (context, services) => {
      const account = await named(services.accounts, context);
      await services.accounts.update(account.id, {
        password: text(context, 'password') ?? '',
        mustChangePassword: context.args.mustChangePassword === true,
      });
      context.print(`The password of ${account.name} was changed.`);
    },
  );

  host.command(
    {
      name: 'admin user delete',
      summary: 'Delete an account',
      options: [username, { flags: '--purge', description: 'Also what the account owns' }],
    },
    { accounts },
    async (context, services) => {
      const account = await named(services.accounts, context);
      await services.accounts.delete(account.id, { purge: context.args.purge === true });
      context.print(`Account ${account.name} was deleted.`);
    },
  );
}
