import {
  Ago,
  Blankslate,
  Joi,
  pageRoute,
  PostButton,
  postRoute,
  reply,
  Section,
  type Route,
  type Site,
} from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import type { Session } from '../contract/sessions.js';
import type { Sessions } from '../api.js';
import { t } from '../texts/index.js';
import type { SettingsPage } from '@mortise/accounts/api';

interface Props {
  readonly sessions: readonly Session[];
  readonly current: number | undefined;
  readonly path: (path: string) => string;
}

/** Where somebody is signed in, and a way to end it. */
function SessionList({ sessions, current, path }: Props): VNode {
  return (
    <Section title={t('sessions.heading')}>
      <div class="Box">
        {sessions.length === 0 ? <Blankslate title={t('sessions.none')} plain level={3} /> : null}
        {sessions.map((session) => (
          <div class="Box-row d-flex flex-items-center" key={session.id}>
            <div class="flex-auto min-width-0">
              <strong>{session.remoteAddress || t('sessions.unknown')}</strong>{' '}
              {session.id === current ? <span class="Label Label--success">{t('sessions.current')}</span> : null}
              <div class="f6 color-fg-muted">{session.userAgent}</div>
              <div class="f6 color-fg-muted">
                {t.rich('sessions.times', {
                  since: <Ago time={session.createdAt} />,
                  used: <Ago time={session.lastUsedAt} />,
                })}
              </div>
            </div>
            <PostButton
              action={path('/user/settings/sessions/end')}
              fields={{ id: session.id }}
              label={t('sessions.endOf', { address: session.remoteAddress || t('sessions.unknown') })}
              danger
            >
              {t('sessions.end')}
            </PostButton>
          </div>
        ))}
      </div>
    </Section>
  );
}

interface Services {
  readonly sessions: Sessions;
  readonly settingsPage: SettingsPage;
  readonly site: Site;
}

const ended = { kind: 'success', text: t.later('sessions.ended') } as const;

/** `/user/settings/sessions`: one's own sessions. */
export const sessionSettingsPages = ({ sessions, settingsPage, site }: Services): readonly Route[] => [
  pageRoute('/user/settings/sessions', { actor: 'user' }, async ({ actor, query }) => {
    const current = actor.method === 'session' ? actor.credentialId : undefined;
    const own = await sessions.list(actor.id);
    const body = <SessionList sessions={own} current={current} path={(to) => site.path(to)} />;
    return settingsPage({
      active: 'sessions',
      title: t.later('sessions.title'),
      actor,
      body,
      flash: (query as { ended?: unknown }).ended === undefined ? undefined : ended,
    });
  }),
  postRoute(
    '/user/settings/sessions/end',
    { actor: 'user' },
    async ({ actor, payload }) => {
      await sessions.end(actor.id, { id: payload.id });
      return reply.redirect(site.path('/user/settings/sessions?ended=1'), 303);
    },
    { payload: Joi.object<{ readonly id: number }>({ id: Joi.number().integer().required() }) },
  ),
];
