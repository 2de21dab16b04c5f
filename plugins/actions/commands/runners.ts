import { Invalid, NotFound, type PluginHost } from '@mortise/plugin-sdk';
import { accounts } from '@mortise/accounts/api';
import { repositories } from '@mortise/repositories/api';
import { registrationTokens } from '../contract/runners.js';
import { ownerScope, repositoryScope, siteScope } from '../contract/scopes.js';
import { secrets } from '../contract/secrets.js';

/** `mortise actions …`: what is set up from the command line. */
export function runnerCommands(host: PluginHost): void {
  host.commandGroup({
    name: 'actions',
    summary: 'Register runners, check and try out workflows, and change the key of their secrets',
    example: 'actions generate-runner-token',
  });
  host.command(
    {
      name: 'actions generate-runner-token',
      summary: 'Print the token with which runners register',
      options: [
        {
          flags: '--scope <scope>',
          description: '{owner} or {owner}/{repository}; without it the runners serve the whole site',
        },
      ],
    },
    { accounts, registrationTokens, repositories },
    async (context, services) => {
      const given = typeof context.args.scope === 'string' ? context.args.scope : '';
      const [owner = '', name, ...more] = given.split('/');
      if (more.length > 0) throw Invalid('A scope is {owner} or {owner}/{repository}.');
      let scope = siteScope;
      if (name !== undefined) {
        const repository = await services.repositories.byPath(owner, name);
        if (!repository) throw NotFound(`Repository ${given} does not exist.`);
        scope = repositoryScope(repository.id);
      } else if (owner !== '') {
        const account = await services.accounts.byName(owner);
        if (!account) throw NotFound(`Account ${owner} does not exist.`);
        scope = ownerScope(account.id);
      }
      context.print(await services.registrationTokens.current(scope));
    },
  );

  host.command(
    { name: 'actions rotate-secret-key', summary: 'Seal all secrets of Actions with a new key' },
    { secrets },
    async (context, services) => {
      const count = await services.secrets.rotate();
      context.print(`${count} ${count === 1 ? 'secret was' : 'secrets were'} sealed with a new key.`);
    },
  );
}
