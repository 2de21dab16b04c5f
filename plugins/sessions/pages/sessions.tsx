import { Ago, Blankslate, PostButton, Section } from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import type { Session } from '../contract/sessions.js';
import { t } from '../texts/index.js';

interface Props {
  readonly sessions: readonly Session[];
  readonly current: number | undefined;
  readonly csrf: string;
  readonly path: (path: string) => string;
}

/** Where somebody is signed in, and a way to end it. */
export function SessionList({ sessions, current, csrf, path }: Props): VNode {
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
              csrf={csrf}
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
