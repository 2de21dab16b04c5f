import { Invalid, systemActor, type CommandContext, type PluginHost } from '@mortise/plugin-sdk';
import { accounts, emails, loginSources } from '@mortise/accounts/api';
import { textOption as text, sourceIdOption, listStep, userOption, listLine, wholeNumber } from './options.js';

const passwordOptions = [
  { flags: '--password <password>', description: 'Password; - reads it from the standard input' },
  {
    flags: '--password-stdin',
    description: 'Read the password from the standard input: on a command line others can see it',
  },
] as const;

/** The password that was given, without the end of its line. */
async function givenPassword(context: CommandContext): Promise<string | undefined> {
  const given = text(context, 'password');
  if (context.args.passwordStdin !== true && given !== '-') return given;
  if (given !== undefined && given !== '-') throw Invalid('Give --password or --password-stdin, not both.');
  const password = (await context.input()).replace(/\r?\n$/, '');
  if (password === '') throw Invalid('No password was given on standard input.');
  return password;
}

const username = { flags: '--username <name>', description: 'Name of the account', required: true } as const;

function registerCreate(host: PluginHost): void {
  host.command(
    {
      name: 'admin user create',
      summary: 'Create an account',
      options: [
        username,
        ...passwordOptions,
        { flags: '--random-password', description: 'Make a password and print it' },
        { flags: '--email <address>', description: 'Email address', required: true },
        { flags: '--admin', description: 'The account administers the site' },
        { flags: '--must-change-password', description: 'The password has to be changed at the first sign-in' },
        { flags: '--full-name <name>', description: 'Full name' },
        { flags: '--restricted', description: 'The account sees only what it was given' },
        { flags: '--source-id <id>', description: 'Authentication source that knows its password' },
        { flags: '--login-name <name>', description: 'What the account is called there' },
      ],
    },
    { accounts, loginSources },
    async (context, services) => {
      const made = context.args.randomPassword ? services.accounts.randomPassword() : undefined;
      const password = (await givenPassword(context)) ?? made;
      const sourceId = (await sourceIdOption(services.loginSources, context)) ?? 0;
      if (!password && !sourceId) throw Invalid('Give --password, --password-stdin or --random-password.');
      const account = await services.accounts.create({
        name: text(context, 'username') ?? '',
        email: text(context, 'email') ?? '',
        password,
        fullName: text(context, 'fullName'),
        isAdmin: context.args.admin === true,
        isRestricted: context.args.restricted === true ? true : undefined,
        mustChangePassword: context.args.mustChangePassword === true,
        ...(sourceId && { sourceId, loginName: text(context, 'loginName') }),
      });
      if (made && made === password) context.print(`Password: ${made}`);
      context.print(`Account ${account.name} was created.`);
    },
  );
}

function registerList(host: PluginHost): void {
  host.command(
    {
      name: 'admin user list',
      summary: 'List accounts',
      options: [
        { flags: '--admin', description: 'Only administrators' },
        { flags: '--query <text>', description: 'Part of name, full name or address' },
        { flags: '--login-name <name>', description: 'What the account is called at its source' },
        { flags: '--source-id <id>', description: 'Authentication source; 0: this site' },
      ],
    },
    { accounts },
    async (context, services) => {
      context.print('ID\tName\tEmail\tAdministrator\tActive');
      const everything = systemActor('command line');
      for (let offset = 0; ; offset += listStep) {
        const { items } = await services.accounts.search({
          kind: 'user',
          text: text(context, 'query'),
          loginName: text(context, 'loginName'),
          sourceId: wholeNumber(context, 'sourceId'),
          isAdmin: context.args.admin === true ? true : undefined,
          visibleTo: everything,
          sort: 'id',
          limit: listStep,
          offset,
        });
        for (const one of items) context.print(listLine(one.id, one.name, one.email, one.isAdmin, one.isActive));
        if (items.length < listStep) return;
      }
    },
  );
}

function registerChangePassword(host: PluginHost): void {
  host.command(
    {
      name: 'admin user change-password',
      summary: 'Set the password of an account',
      options: [
        username,
        ...passwordOptions,
        { flags: '--must-change-password', description: 'It has to be changed at the next sign-in' },
      ],
    },
    { accounts },
    async (context, services) => {
      const account = await userOption(services.accounts, context);
      const password = await givenPassword(context);
      if (!password) throw Invalid('Give --password or --password-stdin.');
      await services.accounts.update(account.id, {
        password,
        mustChangePassword: context.args.mustChangePassword === true,
      });
      context.print(`The password of ${account.name} was changed.`);
    },
  );
}

function registerConfirmEmail(host: PluginHost): void {
  host.command(
    {
      name: 'admin user confirm-email',
      summary: 'Vouch for an address of an account, so that signatures of commits with it count',
      options: [username, { flags: '--email <address>', description: 'Address; default: the primary one' }],
    },
    { accounts, emails },
    async (context, services) => {
      const account = await userOption(services.accounts, context);
      const email = text(context, 'email') ?? account.email;
      await services.emails.vouch(account.id, email);
      context.print(`${email} of ${account.name} is confirmed.`);
    },
  );
}

function registerDelete(host: PluginHost): void {
  host.command(
    {
      name: 'admin user delete',
      summary: 'Delete an account',
      options: [username, { flags: '--purge', description: 'Also what the account owns' }],
    },
    { accounts },
    async (context, services) => {
      const account = await userOption(services.accounts, context);
      await services.accounts.delete(account.id, { purge: context.args.purge === true });
      context.print(`Account ${account.name} was deleted.`);
    },
  );
}

/** `mortise admin user …`: accounts from the command line, before anybody can sign in. */
export function userCommands(host: PluginHost): void {
  registerCreate(host);
  registerList(host);
  registerChangePassword(host);
  registerConfirmEmail(host);
  registerDelete(host);
}
