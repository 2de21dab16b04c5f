import { defineRoute, Joi, reply, type Route, type Site } from '@mortise/plugin-sdk';
import type { AdminPage } from '../contract/admin.js';
import { NoticeList } from '../pages/notices.js';
import type { Notices } from '../services/notices.js';
import { t } from '../texts/index.js';

interface Services {
  readonly adminPage: AdminPage;
  readonly notices: Notices;
  readonly site: Site;
}

const pageSize = 50;

export interface NoticeQuery {
  readonly page: number;
  readonly done?: unknown;
}
/** One notice, or all up to one. */
export interface NoticeDeletion {
  readonly id?: number;
  readonly up_to?: number;
}

/** What went wrong in the background, for administrators. */
export const noticeRoutes = ({ adminPage, notices, site }: Services): readonly Route[] => {
  const path = '/-/admin/notices';
  const access = { actor: 'admin' } as const;
  const id = Joi.number().integer().min(1);
  return [
    defineRoute({
      method: 'GET',
      path,
      access,
      request: {
        query: Joi.object<NoticeQuery>({ page: Joi.number().integer().min(1).default(1), done: Joi.any() }),
      },
      async handler({ actor, csrf, query }) {
        const { items, total, newest } = await notices.list({ limit: pageSize, offset: (query.page - 1) * pageSize });
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
              pages={Math.ceil(total / pageSize)}
              csrf={csrf}
              action={site.path(path)}
            />
          ),
        });
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${path}/delete`,
      access,
      payload: { as: 'form' },
      request: { payload: Joi.object<NoticeDeletion>({ id, up_to: id }).xor('id', 'up_to') },
      async handler({ payload }) {
        if (payload.id !== undefined) await notices.remove(payload.id);
        else await notices.removeAll(payload.up_to!);
        return reply.redirect(site.path(`${path}?done`), 303);
      },
    }),
  ];
};
