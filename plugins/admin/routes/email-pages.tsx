import { defineRoute, Joi, lastPage, listHref, reply, savedFlash, type Route, type Site } from '@mortise/plugin-sdk';
import type { Accounts, Emails } from '@mortise/accounts/api';
import type { AdminPage } from '../contract/admin.js';
import { EmailList } from '../pages/emails.js';
import { t } from '../texts/index.js';

interface Services {
  readonly accounts: Accounts;
  readonly adminPage: AdminPage;
  readonly emails: Emails;
  readonly site: Site;
}

const here = '/-/admin/emails';
const pageSize = 50;
interface Query {
  readonly q: string;
  readonly page: number;
  readonly saved?: string;
}

/** Addresses of all accounts, for administrators (ADM-11); they vouch for those that nobody has confirmed. */
export const emailPages = ({ accounts, adminPage, emails, site }: Services): readonly Route[] => {
  const access = { actor: 'admin' } as const;
  return [
    defineRoute({
      method: 'GET',
      path: here,
      access,
      request: {
        query: Joi.object<Query>({
          q: Joi.string().trim().allow('').max(255).default(''),
          page: Joi.number().integer().min(1).max(1_000_000).default(1),
          saved: Joi.string().allow(''),
        }),
      },
      async handler({ actor, csrf, query: { q, page, saved } }) {
        const found = await emails.search({
          ...(q && { text: q }),
          limit: pageSize,
          offset: (page - 1) * pageSize,
        });
        const owners = await accounts.byIds(found.items.map(({ userId }) => userId));
        return adminPage({
          active: 'emails',
          title: t.later('emails.title'),
          actor,
          flash: savedFlash({ saved }),
          body: (
            <EmailList
              emails={found.items}
              owners={owners}
              total={found.total}
              text={q}
              page={page}
              pages={lastPage(found.total, pageSize)}
              csrf={csrf}
              action={site.path(here)}
              path={(to) => site.path(to)}
            />
          ),
        });
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${here}/confirm`,
      access,
      payload: { as: 'form' },
      request: {
        payload: Joi.object<{ readonly user: number; readonly email: string }>({
          user: Joi.number().integer().positive().max(2_000_000_000).required(),
          email: Joi.string().max(254).required(),
        }),
      },
      async handler({ payload }) {
        await emails.vouch(payload.user, payload.email);
        return reply.redirect(listHref(site.path(here), { q: payload.email, saved: '1' }));
      },
    }),
  ];
};
