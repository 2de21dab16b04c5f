import {
  Joi,
  NotFound,
  PostButton,
  postRoute,
  reply,
  Section,
  toId,
  type Route,
  type Site,
  type Slot,
} from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import type { Account, Accounts, LoginSources } from '@mortise/accounts/api';
import type { Link, Links } from '../services/links.js';
import { t } from '../texts/index.js';

interface Deps {
  readonly accounts: Accounts;
  readonly links: Links;
  readonly loginSources: LoginSources;
  readonly site: Site;
}

const pathOf = (id: number | '{id}') => `/-/admin/users/${id}/linked_accounts/remove`;

const AccountLinks = ({
  links,
  action,
}: {
  readonly links: readonly (Link & { readonly source: string })[];
  readonly action: string;
}): VNode => (
  <Section title={t('links.heading')}>
    <div class="Box">
      {links.map(({ id, source, name }) => (
        <div class="Box-row d-flex flex-items-center" key={id}>
          <div class="flex-auto min-width-0 wb-break-word">
            <strong>{source}</strong> {name}
          </div>
          <PostButton action={action} fields={{ id }} label={t('links.removeOf', { source, name })} danger>
            {t('links.remove')}
          </PostButton>
        </div>
      ))}
    </div>
  </Section>
);

/** On the page of an account in the administration: who of providers may sign in as it. */
export const adminSection = ({
  links,
  loginSources,
  site,
}: Omit<Deps, 'accounts'>): Slot<{ readonly account: Account }> => ({
  key: 'linked-accounts',
  async render({ account }) {
    const own = await links.list(account.id);
    if (own.length === 0) return null;
    const sources = await loginSources.list();
    const named = own.map((link) => ({ ...link, source: sources.find(({ id }) => id === link.sourceId)?.name ?? '' }));
    return <AccountLinks key="linked-accounts" links={named} action={site.path(pathOf(account.id))} />;
  },
});

export const adminRoutes = ({ accounts, links, site }: Omit<Deps, 'loginSources'>): readonly Route[] => [
  postRoute(
    pathOf('{id}') as '/-/admin/users/{id}/linked_accounts/remove',
    { actor: 'admin' },
    async ({ params, payload }) => {
      const account = await accounts.byId(toId(params.id));
      if (account?.kind !== 'user') throw NotFound('user');
      await links.remove(account.id, payload.id);
      return reply.redirect(site.path(`/-/admin/users/${account.id}`));
    },
    { payload: Joi.object<{ readonly id: number }>({ id: Joi.number().integer().required() }) },
  ),
];
