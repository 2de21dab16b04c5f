import { Blankslate, formatNumber, listHref, Pager, PostButton, SearchBox, Section } from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import type { Account, EmailAddress } from '@mortise/accounts/api';
import { t } from '../texts/index.js';

interface EmailListProps {
  readonly emails: readonly EmailAddress[];
  readonly owners: ReadonlyMap<number, Account>;
  readonly total: number;
  readonly text: string;
  readonly page: number;
  readonly pages: number;
  readonly csrf: string;
  readonly action: string;
  readonly path: (path: string) => string;
}

type RowProps = Pick<EmailListProps, 'csrf' | 'action' | 'path'> & {
  readonly entry: EmailAddress;
  readonly owner: Account | undefined;
};

const EmailRow = ({ entry, owner, csrf, action, path }: RowProps): VNode => (
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
        csrf={csrf}
        fields={{ user: entry.userId, email: entry.email }}
        label={t('emails.confirmOf', { email: entry.email })}
      >
        {t('emails.confirm')}
      </PostButton>
    )}
  </li>
);

/** Addresses of all accounts (ADM-11). */
export const EmailList = ({ emails, owners, total, text, page, pages, ...more }: EmailListProps): VNode => (
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
