import {
  Ago,
  Blankslate,
  formatNumber,
  Joi,
  listHref,
  Pager,
  pageRoute,
  PostButton,
  postRoute,
  reply,
  Section,
  type Route,
  type Site,
} from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import type { SiteNotice } from '../contract/admin.js';
import type { AdminPage } from '../api.js';
import { t } from '../texts/index.js';
import type { Notices } from '../services/notices.js';

interface NoticeListProps {
  readonly notices: readonly SiteNotice[];
  readonly total: number;
  readonly page: number;
  readonly pages: number;
  /** Id of the newest notice of all. */
  readonly newest: number;
  readonly action: string;
}

const kinds = {
  mail: 'notices.mail',
  job: 'notices.job',
  repository: 'notices.repository',
  takeover: 'notices.takeover',
} as const;
const kindOf = (kind: string): string => (kind in kinds ? t(kinds[kind as keyof typeof kinds]) : kind);

const Notice = ({ notice, action }: { notice: SiteNotice } & Pick<NoticeListProps, 'action'>): VNode => {
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
        fields={{ id: notice.id }}
        label={t('notices.deleteOf', { id: notice.id })}
      >
        {t('notices.delete')}
      </PostButton>
    </li>
  );
};

/** What went wrong in the background, newest first. */
const NoticeList = ({ notices, total, page, pages, newest, action }: NoticeListProps): VNode => (
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
          <Notice key={notice.id} notice={notice} action={action} />
        ))}
      </ul>
    )}
    <Pager page={page} last={pages} href={(to) => listHref(action, { page: to })} />
  </Section>
);

interface Services {
  readonly adminPage: AdminPage;
  readonly notices: Notices;
  readonly site: Site;
  /** Notices on one page. */
  readonly perPage: number;
}

interface NoticeQuery {
  readonly page: number;
  readonly done?: unknown;
}
/** One notice, or all up to one. */
interface NoticeDeletion {
  readonly id?: number;
  readonly up_to?: number;
}

/** What went wrong in the background, for administrators. */
export const noticeRoutes = ({ adminPage, notices, site, perPage }: Services): readonly Route[] => {
  const path = '/-/admin/notices';
  const access = { actor: 'admin' } as const;
  const id = Joi.number().integer().min(1);
  return [
    pageRoute(
      path,
      access,
      async ({ actor, query }) => {
        const { items, total, newest } = await notices.list({ limit: perPage, offset: (query.page - 1) * perPage });
        return adminPage({
          active: 'notices',
          title: t.later('notices.title'),
          actor,
          flash: query.done === undefined ? undefined : { kind: 'success', text: t.later('notices.deleted') },
          body: (
            <NoticeList
              notices={items}
              total={total}
              newest={newest}
              page={query.page}
              pages={Math.ceil(total / perPage)}
              action={site.path(path)}
            />
          ),
        });
      },
      {
        query: Joi.object<NoticeQuery>({ page: Joi.number().integer().min(1).default(1), done: Joi.any() }),
      },
    ),
    postRoute(
      `${path}/delete`,
      access,
      async ({ payload }) => {
        if (payload.id !== undefined) await notices.remove(payload.id);
        else await notices.removeAll(payload.up_to!);
        return reply.redirect(site.path(`${path}?done`), 303);
      },
      { payload: Joi.object<NoticeDeletion>({ id, up_to: id }).xor('id', 'up_to') },
    ),
  ];
};
