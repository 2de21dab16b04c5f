import { Ago, Blankslate, formatNumber, listHref, Pager, PostButton, Section } from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import type { SiteNotice } from '../contract/admin.js';
import { t } from '../texts/index.js';

interface NoticeListProps {
  readonly notices: readonly SiteNotice[];
  readonly total: number;
  readonly page: number;
  readonly pages: number;
  /** Id of the newest notice of all. */
  readonly newest: number;
  readonly csrf: string;
  readonly action: string;
}

const kinds = { mail: 'notices.mail', job: 'notices.job' } as const;
const kindOf = (kind: string): string => (kind in kinds ? t(kinds[kind as keyof typeof kinds]) : kind);

const Notice = ({ notice, csrf, action }: { notice: SiteNotice } & Pick<NoticeListProps, 'csrf' | 'action'>): VNode => {
  const [first = '', ...rest] = notice.text.split('\n');
  return (
    <li class="Box-row d-flex flex-items-start gap-3">
      <div class="list-main">
        <span class="Label mr-2">{kindOf(notice.kind)}</span>
        <span class="f6 color-fg-muted">
          <Ago time={notice.createdAt} />
        </span>
        <p class="mb-0 mt-1 wb-break-word">{first}</p>
        {rest.length > 0 ? (
          <details class="mt-1">
            <summary class="f6">{t('notices.more')}</summary>
            {rest.map((line, at) => (
              <p key={at} class="f6 color-fg-muted wb-break-word mb-0">
                {line}
              </p>
            ))}
          </details>
        ) : null}
      </div>
      <PostButton
        action={`${action}/delete`}
        csrf={csrf}
        fields={{ id: notice.id }}
        label={t('notices.deleteOf', { id: notice.id })}
      >
        {t('notices.delete')}
      </PostButton>
    </li>
  );
};

/** What went wrong in the background, newest first. */
export const NoticeList = ({ notices, total, page, pages, newest, csrf, action }: NoticeListProps): VNode => (
  <Section
    title={
      <>
        {t('notices.title')} <span class="Counter">{formatNumber(total)}</span>
      </>
    }
    actions={
      notices.length > 0 ? (
        <PostButton
          action={`${action}/delete`}
          csrf={csrf}
          fields={{ up_to: newest }}
          confirm={t('notices.deleteAllConfirm')}
          danger
        >
          {t('notices.deleteAll')}
        </PostButton>
      ) : null
    }
  >
    {notices.length === 0 ? (
      <Blankslate title={t('notices.none')} icon="check-circle">
        <p>{t('notices.noneText')}</p>
      </Blankslate>
    ) : (
      <ul class="Box list-style-none">
        {notices.map((notice) => (
          <Notice key={notice.id} notice={notice} csrf={csrf} action={action} />
        ))}
      </ul>
    )}
    <Pager page={page} last={pages} href={(to) => listHref(action, { page: to })} />
  </Section>
);
