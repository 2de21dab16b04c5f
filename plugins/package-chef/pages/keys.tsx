import type { VNode } from 'preact';
import {
  Ago,
  formRoute,
  formStatus,
  formText,
  Invalid,
  listHref,
  pageRoute,
  PostButton,
  postRoute,
  reply,
  savedFlash,
  Section,
  type Access,
  type Flash,
  type Route,
  type RouteContext,
  type Site,
} from '@mortise/plugin-sdk';
import type { SettingsPage } from '@mortise/accounts/api';
import type { ChefKeys } from '../services/keys.js';
import { t } from '../texts/index.js';

export const keysPath = '/user/settings/chef';

interface KeyProps {
  readonly madeAt: number | undefined;
  readonly name: string;
  readonly here: string;
}

const KeyPage = ({ madeAt, name, here }: KeyProps): VNode => (
  <Section title={t('keys.title')}>
    <p>{t('keys.note')}</p>
    <p>
      {madeAt === undefined ? t('keys.none') : t.rich('keys.madeAt', { when: <Ago time={madeAt} /> })}{' '}
      {t.rich('keys.settings', {
        name,
        code: (text) => <code>{text}</code>,
      })}
    </p>
    <div class="d-flex flex-wrap gap-2">
      <PostButton
        action={`${here}/new`}
        class="btn btn-primary"
        confirm={madeAt === undefined ? undefined : t('keys.replaceConfirm')}
      >
        {t('keys.make')}
      </PostButton>
      {madeAt === undefined ? null : (
        <PostButton
          action={here}
          fields={{ action: 'delete' }}
          class="btn btn-danger"
          confirm={t('keys.deleteConfirm')}
        >
          {t('keys.delete')}
        </PostButton>
      )}
    </div>
  </Section>
);

interface KeyPageDeps {
  readonly keys: ChefKeys;
  readonly settingsPage: SettingsPage;
  readonly site: Site;
}

/** The key pair of an account: made, downloaded once, and deleted. */
export function keyPages({ keys, settingsPage, site }: KeyPageDeps): readonly Route[] {
  const access: Access = { actor: 'user' };
  const here = site.path(keysPath);
  const page = async ({ actor }: Pick<RouteContext, 'actor'>, flash?: Flash) =>
    settingsPage({
      active: 'chef',
      title: t.later('keys.title'),
      actor,
      flash,
      status: formStatus(flash),
      body: <KeyPage madeAt={await keys.madeAt(actor.id)} name={actor.name} here={here} />,
    });
  return [
    pageRoute(keysPath, access, (context) => page(context, savedFlash(context.query))),
    formRoute(
      keysPath,
      access,
      async ({ actor }, values) => {
        if (formText(values, 'action') !== 'delete') throw Invalid(t.later('error.action'));
        await keys.remove(actor.id);
        return listHref(here, { saved: 1 });
      },
      (context, _values, flash) => page(context, flash),
    ),
    postRoute(`${keysPath}/new`, access, async ({ actor }) =>
      reply
        .text(await keys.make(actor.id))
        .type('application/x-pem-file')
        .header('content-disposition', `attachment; filename="${actor.name}.pem"`)
        .header('cache-control', 'no-store'),
    ),
  ];
}
