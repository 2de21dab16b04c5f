import {
  defineRoute,
  Invalid,
  NotFound,
  reply,
  type PluginHost,
  type Route,
  type Site,
  type Slot,
  toId,
} from '@mortise/plugin-sdk';
import { accounts, type Account, type Accounts } from '@mortise/accounts/api';
import { secondFactors, type SecondFactors } from '../contract/auth-two-factor.js';
import { AdminFactors } from '../pages/admin.js';

const pathOf = (id: number | '{id}') => `/-/admin/users/${id}/two_factor/reset`;

/** Has the account a second factor, and taking it from who lost it. */
export const adminSection = (services: {
  readonly secondFactors: SecondFactors;
  readonly site: Site;
}): Slot<{ readonly account: Account; readonly csrf: string }> => ({
  key: 'second-factor',
  async render({ account, csrf }) {
    const has = await services.secondFactors.has(account.id);
    const action = services.site.path(pathOf(account.id));
    return <AdminFactors key="second-factor" name={account.name} has={has} action={action} csrf={csrf} />;
  },
});

export const adminRoutes = (services: {
  readonly accounts: Accounts;
  readonly secondFactors: SecondFactors;
  readonly site: Site;
}): readonly Route[] => [
  defineRoute({
    method: 'POST',
    path: pathOf('{id}') as '/-/admin/users/{id}/two_factor/reset',
    access: { actor: 'admin' },
    payload: { as: 'form' },
    handler: async ({ params }) => {
      const account = await services.accounts.byId(toId(params.id));
      if (account?.kind !== 'user') throw NotFound('user');
      await services.secondFactors.reset(account.id);
      return reply.redirect(services.site.path(`/-/admin/users/${account.id}`));
    },
  }),
];

/** `mortise admin user reset-two-factor` */
export const resetCommand = (host: PluginHost): void =>
  host.command(
    {
      name: 'admin user reset-two-factor',
      summary: 'Remove the second factors of an account whose owner has lost them',
      options: [{ flags: '--username <name>', description: 'Name of the account', required: true }],
    },
    { accounts, secondFactors },
    async (context, services) => {
      const name = String(context.args.username ?? '');
      const account = name ? await services.accounts.byName(name) : undefined;
      if (account?.kind !== 'user') throw NotFound(`User ${name} does not exist.`);
      if (!(await services.secondFactors.reset(account.id))) throw Invalid(`${account.name} has no second factor.`);
      context.print(`The second factors of ${account.name} were removed.`);
    },
  );
