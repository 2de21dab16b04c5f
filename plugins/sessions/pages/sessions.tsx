import { PostButton, Section } from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import type { Session } from '../api.js';

interface Props {
  readonly sessions: readonly Session[];
  readonly current: number | undefined;
  readonly csrf: string;
  readonly path: (path: string) => string;
}

const moment = (at: number) => new Date(at).toISOString().slice(0, 16).replace('T', ' ');

/** Where somebody is signed in, and a way to end it. */
export function SessionList({ sessions, current, csrf, path }: Props): VNode {
  return (
    <Section title="Signed-in browsers">
      <div class="Box">
        {sessions.length === 0 ? <div class="blankslate">None.</div> : null}
        {sessions.map((session) => (
          <div class="Box-row d-flex flex-items-center" key={session.id}>
            <div class="flex-auto min-width-0">
              <strong>{session.remoteAddress || 'unknown address'}</strong>{' '}
              {session.id === current ? <span class="Label Label--success">This browser</span> : null}
              <div class="f6 color-fg-muted">{session.userAgent}</div>
              <div class="f6 color-fg-muted">
                Since {moment(session.createdAt)} UTC · last used {moment(session.lastUsedAt)} UTC
              </div>
            </div>
            <PostButton action={path('/user/settings/sessions/end')} csrf={csrf} fields={{ id: session.id }} danger>
              Sign out
            </PostButton>
          </div>
        ))}
      </div>
    </Section>
  );
}
