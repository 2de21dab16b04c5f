import { NotFound, systemActor, type CommandContext, type PluginHost } from '@mortise/plugin-sdk';
import { accounts } from '@mortise/accounts/api';
import { accessTokens } from '../contract/auth-token.js';
import { expiryOn } from '../services/expiry.js';

const given = ({ args }: CommandContext, name: string): string => {
  const value = args[name];
  return typeof value === 'string' ? value : '';
};

/** `mortise admin user generate-access-token`: a token for an account, for instance of a program. */
export function tokenCommands(host: PluginHost): void {
  host.command(
    {
      name: 'admin user generate-access-token',
      summary: 'Create an access token of an account and print it',
      options: [
        { flags: '--username <name>', description: 'Name of the account', required: true },
        { flags: '--token-name <name>', description: 'Name of the token (default command line)' },
        { flags: '--scopes <scopes>', description: 'Scopes, separated by commas (default all)' },
        { flags: '--expires-on <day>', description: 'Its last day, such as 2030-01-31 (default: it does not end)' },
        { flags: '--raw', description: 'Print the token alone' },
      ],
    },
    { accounts, accessTokens },
    async (context, services) => {
      const name = given(context, 'username');
      const account = await services.accounts.byName(name);
      if (account?.kind !== 'user') throw NotFound(`User ${name} does not exist.`);
      const { secret } = await services.accessTokens.create({
        userId: account.id,
        name: given(context, 'tokenName') || 'command line',
        scopes: (given(context, 'scopes') || 'all').split(',').map((scope) => scope.trim()),
        creator: systemActor('command line'),
        expiresAt: expiryOn(given(context, 'expiresOn')),
      });
      context.print(context.args.raw === true ? secret : `Access token: ${secret}`);
    },
  );
}
