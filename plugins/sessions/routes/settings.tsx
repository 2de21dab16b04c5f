import { defineRoute, Joi, reply, type Route, type Site } from '@mortise/plugin-sdk';
import type { SettingsPage } from '@mortise/accounts/api';
import type { Sessions } from '../contract/sessions.js';
import { SessionList } from '../pages/sessions.js';
import { t } from '../texts/index.js';

interface Services {
  readonly sessions: Sessions;
  readonly settingsPage: SettingsPage;
  readonly site: Site;
}

const ended = { kind: 'success', text: t.later('sessions.ended') } as const;

/** `/user/settings/sessions`: one's own sessions. */
export const sessionSettingsPages = ({ sessions, settingsPage, site }: Services): readonly Route[] => [
  defineRoute({
    method: 'GET',
    path: '/user/settings/sessions',
    access: { actor: 'user' },
    handler: async ({ actor, csrf, query }) => {
      const current = actor.method === 'session' ? actor.credentialId : undefined;
      const own = await sessions.list(actor.id);
      const body = <SessionList sessions={own} current={current} csrf={csrf} path={(to) => site.path(to)} />;
      return settingsPage({
        active: 'sessions',
        title: t.later('sessions.title'),
        actor,
        body,
        flash: (query as { ended?: unknown }).ended === undefined ? undefined : ended,
      });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/user/settings/sessions/end',
    access: { actor: 'user' },
    payload: { as: 'form' },
    request: { payload: Joi.object<{ readonly id: number }>({ id: Joi.number().integer().required() }) },
    handler: async ({ actor, payload }) => {
      await sessions.end(actor.id, { id: payload.id });
      return reply.redirect(site.path('/user/settings/sessions?ended=1'), 303);
    },
  }),
];
