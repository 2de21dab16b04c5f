import {
  Csrf,
  Invalid,
  NotFound,
  postRoute,
  reply,
  Section,
  toId,
  type PluginHost,
  type Route,
  type Site,
  type Slot,
} from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import { t } from '../texts/index.js';
import { accounts, type Account, type Accounts } from '@mortise/accounts/api';
import { secondFactors, type SecondFactors } from '../api.js';

/** On the page of an account in the administration. */
const AdminFactors = ({ name, has, action }: { name: string; has: boolean; action: string }): VNode => (
  <Section title={t('totp.title')}>
    <p>{has ? t('admin.has') : t('admin.hasNot')}</p>
    {has ? (
      <details class="confirm confirm-start">
        <summary class="btn btn-danger">{t('admin.reset')}</summary>
        <form class="confirm-body" method="post" action={action}>
          <Csrf />
          <p>{t('admin.resetNote', { name })}</p>
          <button class="btn btn-sm btn-danger" type="submit">
            {t('admin.reset')}
          </button>
        </form>
      </details>
    ) : null}
  </Section>
);

const pathOf = (id: number | '{id}') => `/-/admin/users/${id}/two_factor/reset`;

/** Has the account a second factor, and taking it from who lost it. */
export const adminSection = (services: {
  readonly secondFactors: SecondFactors;
  readonly site: Site;
}): Slot<{ readonly account: Account }> => ({
  key: 'second-factor',
  async render({ account }) {
    const has = await services.secondFactors.has(account.id);
    const action = services.site.path(pathOf(account.id));
    return <AdminFactors key="second-factor" name={account.name} has={has} action={action} />;
  },
});

export const adminRoutes = (services: {
  readonly accounts: Accounts;
  readonly secondFactors: SecondFactors;
  readonly site: Site;
}): readonly Route[] => [
  postRoute(pathOf('{id}') as '/-/admin/users/{id}/two_factor/reset', { actor: 'admin' }, async ({ params }) => {
    const account = await services.accounts.byId(toId(params.id));
    if (account?.kind !== 'user') throw NotFound('user');
    await services.secondFactors.reset(account.id);
    return reply.redirect(services.site.path(`/-/admin/users/${account.id}`));
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
