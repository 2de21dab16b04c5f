import type { VNode } from 'preact';
import {
  CheckField,
  Csrf,
  pageRoute,
  formRoute,
  formStatus,
  formText,
  isChecked,
  PostButton,
  savedFlash,
  Section,
  TextField,
  splitList,
  type Flash,
  type FormValues,
  type Route,
  type RouteContext,
  type Site,
} from '@mortise/plugin-sdk';
import type { AdminPage } from '@mortise/admin/api';
import { allOwners, type EmbeddedRunner, type EmbeddedRunnerState } from '../services/embedded-runner.js';
import { t } from '../texts/index.js';

export const embeddedRunnerPath = '/-/admin/runner';

interface Props {
  readonly action: string;
  readonly state: EmbeddedRunnerState;
  /** Of those who are served. */
  readonly names: readonly string[];
  /** What stands in the fields. */
  readonly given: { readonly serves: string; readonly all: boolean };
  /** As whom jobs run. */
  readonly user: string;
  readonly isServers: boolean;
}

function Page({ action, state, names, given, user, isServers }: Props): VNode {
  const owners = state.serves.includes(allOwners) ? t('runner.all') : names.join(', ');
  const isOn = state.serves.length > 0;
  return (
    <>
      <Section title={t('runner.title')}>
        <p class="color-fg-muted">{t('runner.about')}</p>
        <p class="text-bold">{isOn ? t('runner.runs', { names: owners }) : t('runner.stands')}</p>
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
        ) : state.isSetBySettings ? (
          <p class="flash">{t('runner.bySettings')}</p>
        ) : (
          <>
            <form method="post" action={action}>
              <Csrf />
              <TextField
                name="serves"
                label={t('runner.serves')}
                note={t('runner.servesNote')}
                value={given.serves}
                maxLength={5000}
              />
              <CheckField name="all" value="on" label={t('runner.forAll')} checked={given.all} />
              <button class="btn btn-primary" type="submit">
                {isOn ? t('runner.change') : t('runner.start')}
              </button>
            </form>
            {isOn ? (
              <PostButton action={`${action}/stop`} confirm={t('runner.stopConfirm')} danger formClass="mt-3">
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
export function embeddedRunnerPages(services: {
  readonly runner: EmbeddedRunner;
  readonly site: Site;
  readonly frame: AdminPage;
  /** Name of the machine's user as whom jobs run. */
  readonly user: string;
  readonly isServers: boolean;
}): Route[] {
  const { runner, site, frame, user, isServers } = services;
  const access = { actor: 'admin' } as const;
  const action = site.path(embeddedRunnerPath);
  const show = async (context: RouteContext, sent?: FormValues, flash?: Flash) => {
    const state = await runner.state();
    const names = await runner.namesOf(state);
    const all = sent ? isChecked(sent, 'all') : state.serves.includes(allOwners);
    const stored = names.join(', ') || (all ? '' : context.actor.name);
    const given = { serves: sent ? formText(sent, 'serves', 5000) : stored, all };
    return frame({
      active: 'own-runner',
      title: t.later('runner.title'),
      actor: context.actor,
      flash,
      status: formStatus(flash),
      body: <Page {...{ action, state, names, given, user, isServers }} />,
    });
  };
  return [
    pageRoute(embeddedRunnerPath, access, (context) => show(context, undefined, savedFlash(context.query))),
    formRoute(
      embeddedRunnerPath,
      access,
      async (_context, values) => {
        const names = [...new Set(splitList(formText(values, 'serves', 5000)))];
        await runner.start(names, { everybody: isChecked(values, 'all') });
        return `${action}?saved=1`;
      },
      show,
    ),
    formRoute(
      `${embeddedRunnerPath}/stop`,
      access,
      async () => {
        await runner.stop();
        return `${action}?saved=1`;
      },
      (context, _values, flash) => show(context, undefined, flash),
    ),
  ];
}
