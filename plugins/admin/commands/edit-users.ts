import { Invalid, type PluginHost } from '@mortise/plugin-sdk';
import { accounts, emails, loginSources, type AccountChanges, type Visibility } from '@mortise/accounts/api';
import { textOption, sourceIdOption, listStep, userOption, listLine, wholeNumber, yesOrNo } from './options.js';

const visibilities: readonly string[] = ['public', 'limited', 'private'];

/** `mortise admin user edit` and `rename`, `mortise admin email list`. */
export function editUserCommands(host: PluginHost): void {
  const username = { flags: '--username <name>', description: 'Name of the account', required: true } as const;

  host.command(
    {
      name: 'admin user edit',
      summary: 'Change an account; what is not named stays',
      options: [
        username,
        { flags: '--full-name <name>', description: 'Full name' },
        { flags: '--email <address>', description: 'Primary email address' },
        { flags: '--admin <yes|no>', description: 'Administers the site' },
        { flags: '--active <yes|no>', description: 'Is confirmed and may act' },
        { flags: '--prohibit-login <yes|no>', description: 'May not sign in' },
        { flags: '--restricted <yes|no>', description: 'Sees only what it was given' },
        { flags: '--must-change-password <yes|no>', description: 'Chooses a new password at the next sign-in' },
        { flags: '--visibility <word>', description: 'public, limited or private' },
        { flags: '--max-repos <number>', description: "Repository limit; -1: the site's default" },
        { flags: '--source-id <id>', description: 'Authentication source; 0: this site' },
        { flags: '--login-name <name>', description: 'What the account is called at its source' },
      ],
    },
    { accounts, loginSources },
    async (context, services) => {
      const account = await userOption(services.accounts, context);
      const visibility = textOption(context, 'visibility');
      if (visibility && !visibilities.includes(visibility)) throw Invalid(`Unknown visibility: ${visibility}.`);
      const sourceId = await sourceIdOption(services.loginSources, context);
      const changes: AccountChanges = {
        fullName: textOption(context, 'fullName'),
        email: textOption(context, 'email'),
        isAdmin: yesOrNo(context, 'admin'),
        isActive: yesOrNo(context, 'active'),
        prohibitLogin: yesOrNo(context, 'prohibitLogin'),
        isRestricted: yesOrNo(context, 'restricted'),
        mustChangePassword: yesOrNo(context, 'mustChangePassword'),
        visibility: visibility as Visibility | undefined,
        maxRepoCreation: wholeNumber(context, 'maxRepos', -1),
        sourceId,
        loginName: textOption(context, 'loginName'),
      };
      if (Object.values(changes).every((value) => value === undefined)) throw Invalid('Say what is to be changed.');
      await services.accounts.update(account.id, changes);
      context.print(`Account ${account.name} was changed.`);
    },
  );

  host.command(
    {
      name: 'admin user rename',
      summary: 'Rename an account; its old name redirects until it is reused',
      options: [username, { flags: '--new-name <name>', description: 'The new name', required: true }],
    },
    { accounts },
    async (context, services) => {
      const account = await userOption(services.accounts, context);
      const renamed = await services.accounts.rename(account.id, textOption(context, 'newName') ?? '');
      context.print(`Account ${account.name} is now called ${renamed.name}.`);
    },
  );

  host.command(
    {
      name: 'admin email list',
      summary: 'List email addresses of all accounts',
      options: [{ flags: '--query <text>', description: 'Part of the address' }],
    },
    { accounts, emails },
    async (context, services) => {
      context.print('Email\tAccount\tPrimary\tConfirmed');
      for (let offset = 0; ; offset += listStep) {
        const { items } = await services.emails.search({ text: textOption(context, 'query'), limit: listStep, offset });
        const owners = await services.accounts.byIds(items.map(({ userId }) => userId));
        for (const one of items)
          context.print(listLine(one.email, owners.get(one.userId)?.name ?? '', one.isPrimary, one.isVerified));
        if (items.length < listStep) return;
      }
    },
  );
}
