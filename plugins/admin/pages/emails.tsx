import {
  Blankslate,
  formatNumber,
  Joi,
  lastPage,
  listHref,
  Pager,
  pageRoute,
  PostButton,
  postRoute,
  reply,
  savedFlash,
  SearchBox,
  Section,
  type Route,
  type Site,
} from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import type { Account, EmailAddress, Accounts, Emails } from '@mortise/accounts/api';
import { t } from '../texts/index.js';
import type { AdminPage } from '../api.js';

interface EmailListProps {
  readonly emails: readonly EmailAddress[];
  readonly owners: ReadonlyMap<number, Account>;
  readonly total: number;
  readonly text: string;
  readonly page: number;
  readonly pages: number;
  readonly action: string;
  readonly path: (path: string) => string;
}

type RowProps = Pick<EmailListProps, 'action' | 'path'> & {
  readonly entry: EmailAddress;
  readonly owner: Account | undefined;
};

const EmailRow = ({ entry, owner, action, path }: RowProps): VNode => (
  <li class="Box-row d-flex flex-wrap flex-items-center gap-2">
    <div class="list-main wb-break-word">
      <strong>{entry.email}</strong> {entry.isPrimary ? <span class="Label mr-1">{t('emails.primary')}</span> : null}
      {entry.isVerified ? null : <span class="Label Label--attention mr-1">{t('emails.inactive')}</span>}
      {entry.isVerified && !entry.isConfirmed ? <span class="Label mr-1">{t('emails.unconfirmed')}</span> : null}
      {owner ? (
        <div class="f6">
          <a class="Link--muted" href={path(`/-/admin/users/${owner.id}`)}>
            {owner.name}
          </a>
        </div>
      ) : null}
    </div>
    {entry.isConfirmed ? null : (
      <PostButton
        action={`${action}/confirm`}
        fields={{ user: entry.userId, email: entry.email }}
        label={t('emails.confirmOf', { email: entry.email })}
      >
        {t('emails.confirm')}
      </PostButton>
    )}
  </li>
);

/** Addresses of all accounts (ADM-11). */
const EmailList = ({ emails, owners, total, text, page, pages, ...more }: EmailListProps): VNode => (
  <Section
    title={
      <>
        {t('emails.title')} <span class="Counter">{formatNumber(total)}</span>
      </>
    }
  >
    <SearchBox action={more.action} value={text} label={t('emails.search')} />
    {emails.length === 0 ? <Blankslate title={t('emails.none')} icon="mail" /> : null}
    {emails.length > 0 ? (
      <ul class="Box list-style-none">
        {emails.map((entry) => (
          <EmailRow key={entry.id} entry={entry} owner={owners.get(entry.userId)} {...more} />
        ))}
      </ul>
    ) : null}
    <Pager page={page} last={pages} href={(to) => listHref(more.action, { q: text, page: to })} />
  </Section>
);

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
    pageRoute(
      here,
      access,
      async ({ actor, query: { q, page, saved } }) => {
        const results = await emails.search({
          ...(q && { text: q }),
          limit: pageSize,
          offset: (page - 1) * pageSize,
        });
        const owners = await accounts.byIds(results.items.map(({ userId }) => userId));
        return adminPage({
          active: 'emails',
          title: t.later('emails.title'),
          actor,
          flash: savedFlash({ saved }),
          body: (
            <EmailList
              emails={results.items}
              owners={owners}
              total={results.total}
              text={q}
              page={page}
              pages={lastPage(results.total, pageSize)}
              action={site.path(here)}
              path={(to) => site.path(to)}
            />
          ),
        });
      },
      {
        query: Joi.object<Query>({
          q: Joi.string().trim().allow('').max(255).default(''),
          page: Joi.number().integer().min(1).max(1_000_000).default(1),
          saved: Joi.string().allow(''),
        }),
      },
    ),
    postRoute(
      `${here}/confirm`,
      access,
      async ({ payload }) => {
        await emails.vouch(payload.user, payload.email);
        return reply.redirect(listHref(site.path(here), { q: payload.email, saved: '1' }));
      },
      {
        payload: Joi.object<{ readonly user: number; readonly email: string }>({
          user: Joi.number().integer().positive().max(2_000_000_000).required(),
          email: Joi.string().max(254).required(),
        }),
      },
    ),
  ];
};
