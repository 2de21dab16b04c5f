import type { VNode } from 'preact';
import {
  Csrf,
  defineRoute,
  formRoute,
  formStatus,
  formText,
  PostButton,
  savedFlash,
  Section,
  TextField,
  wordsIn,
  type Flash,
  type FormValues,
  type Route,
  type RouteContext,
  type Site,
} from '@mortise/plugin-sdk';
import type { AdminPage } from '@mortise/admin/api';
import type { OwnRunner, OwnRunnerState } from '../services/own-runner.js';
import { t } from '../texts/index.js';

export const ownRunnerPath = '/-/admin/runner';

interface Props {
  readonly action: string;
  readonly csrf: string;
  readonly state: OwnRunnerState;
  /** What stands in the field. */
  readonly serves: string;
  /** As whom jobs run. */
  readonly user: string;
  readonly isServers: boolean;
}

function Page({ action, csrf, state, serves, user, isServers }: Props): VNode {
  const names = state.serves.includes('all') ? t('runner.all') : state.serves.join(', ');
  const isOn = state.serves.length > 0;
  return (
    <>
      <Section title={t('runner.title')}>
        <p class="color-fg-muted">{t('runner.about')}</p>
        <p class="text-bold">{isOn ? t('runner.runs', { names }) : t('runner.stands')}</p>
      </Section>
      <Section title={t('runner.danger')}>
        <ul class="ml-4 mb-3">
          <li>{t.rich('runner.onMachine', { user: () => <code>{user}</code> })}</li>
          {isServers ? <li>{t('runner.sameUser')}</li> : null}
          <li>{t('runner.fresh')}</li>
          <li class="text-bold">{t('runner.trust')}</li>
        </ul>
        {state.isRefused ? (
          <p class="flash flash-warn">{t('runner.asRoot')}</p>
        ) : state.isSetting ? (
          <p class="flash">{t('runner.bySettings')}</p>
        ) : (
          <>
            <form method="post" action={action}>
              <Csrf token={csrf} />
              <TextField
                name="serves"
                label={t('runner.serves')}
                note={t('runner.servesNote')}
                value={serves}
                maxLength={5000}
                required
              />
              <button class="btn btn-primary" type="submit">
                {isOn ? t('runner.change') : t('runner.start')}
              </button>
            </form>
            {isOn ? (
              <PostButton
                action={`${action}/stop`}
                csrf={csrf}
                confirm={t('runner.stopConfirm')}
                danger
                formClass="mt-3"
              >
                {t('runner.stop')}
              </PostButton>
            ) : null}
          </>
        )}
      </Section>
    </>
  );
}

/** Starts and stops the runner of the server, and says what that means. */
export function ownRunnerPages(services: {
  readonly runner: OwnRunner;
  readonly site: Site;
  readonly frame: AdminPage;
  /** Name of the machine's user as whom jobs run. */
  readonly user: string;
  readonly isServers: boolean;
}): Route[] {
  const { runner, site, frame, user, isServers } = services;
  const access = { actor: 'admin' } as const;
  const action = site.path(ownRunnerPath);
  const show = async (context: RouteContext, sent?: FormValues, flash?: Flash) => {
    const state = await runner.state();
    const serves = sent ? formText(sent, 'serves', 5000) : state.serves.join(', ') || context.actor.name;
    return frame({
      active: 'own-runner',
      title: t.later('runner.title'),
      actor: context.actor,
      flash,
      status: formStatus(flash),
      body: <Page {...{ action, csrf: context.csrf, state, serves, user, isServers }} />,
    });
  };
  return [
    defineRoute({
      method: 'GET',
      path: ownRunnerPath,
      surface: 'page',
      access,
      handler: (context) => show(context, undefined, savedFlash(context.query)),
    }),
    formRoute(
      ownRunnerPath,
      access,
      async (_context, values) => {
        await runner.start([...new Set(wordsIn(formText(values, 'serves', 5000)))]);
        return `${action}?saved=1`;
      },
      show,
    ),
    formRoute(
      `${ownRunnerPath}/stop`,
      access,
      async () => {
        await runner.stop();
        return `${action}?saved=1`;
      },
      (context, _values, flash) => show(context, undefined, flash),
    ),
  ];
}
