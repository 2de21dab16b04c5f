import {
  defineRoute,
  formStatus,
  formText,
  isChecked,
  Joi,
  NotFound,
  Problem,
  refusedFlash,
  reply,
  savedFlash,
  type Flash,
  type FormValues,
  type Route,
  type RouteContext,
  type Site,
} from '@mortise/plugin-sdk';
import type { SettingsPage } from '@mortise/accounts/api';
import type { TokenScopes } from '@mortise/auth-token/api';
import type { NewOAuth2Application, OAuth2Application, OAuth2Applications } from '../api.js';
import { EditApplication, emptyValues, here, OAuth2Settings, type Values } from '../pages/settings.js';
import type { Grants } from '../services/grants.js';
import { t } from '../texts/index.js';

interface Services {
  readonly oauth2Applications: OAuth2Applications;
  readonly grants: Grants;
  readonly settingsPage: SettingsPage;
  readonly site: Site;
  readonly tokenScopes: TokenScopes;
}

const valuesOf = (sent: FormValues): Values => ({
  name: formText(sent, 'name'),
  redirectUris: formText(sent, 'redirect_uris', 100_000),
  isConfidential: isChecked(sent, 'confidential'),
  skipsSecondConsent: isChecked(sent, 'skip_second_consent'),
});

const given = ({ redirectUris, ...values }: Values): NewOAuth2Application => ({
  ...values,
  redirectUris: redirectUris.split(/[\s,]+/),
});

const shown = ({ name, redirectUris, isConfidential, skipsSecondConsent }: OAuth2Application): Values => ({
  name,
  redirectUris: redirectUris.join('\n'),
  isConfidential,
  skipsSecondConsent,
});

/** `/user/settings/oauth2`: applications that act for the account, and those that it has registered. */
export function settingsRoutes(services: Services): readonly Route[] {
  const { oauth2Applications: applications, grants, settingsPage, site, tokenScopes } = services;
  const path = (to: string) => site.path(to);
  const access = { actor: 'user' } as const;
  const params = Joi.object<{ readonly id: number }>({ id: Joi.number().integer().required() });

  const list = async ({ actor, csrf }: RouteContext, values = emptyValues, flash?: Flash) =>
    settingsPage({
      active: 'oauth2',
      title: t.later('settings.title'),
      actor,
      flash,
      status: formStatus(flash),
      body: (
        <OAuth2Settings
          granted={await grants.ofUser(actor.id)}
          categories={tokenScopes.categories}
          applications={(await applications.list(actor.id, { limit: 500, offset: 0 })).items}
          values={values}
          csrf={csrf}
          path={path}
        />
      ),
    });

  const edit = (
    { actor, csrf }: RouteContext,
    application: OAuth2Application,
    { secret, values = shown(application), flash }: { secret?: string; values?: Values; flash?: Flash } = {},
  ) =>
    settingsPage({
      active: 'oauth2',
      title: application.name,
      actor,
      flash,
      status: formStatus(flash),
      body: <EditApplication application={application} secret={secret} values={values} csrf={csrf} path={path} />,
    });

  const own = async (userId: number, id: number) => {
    const found = await applications.byId(id);
    if (found?.ownerId !== userId) throw NotFound('application');
    return found;
  };

  return [
    defineRoute({
      method: 'GET',
      path: here,
      access,
      handler: (context) => list(context, emptyValues, savedFlash(context.query)),
    }),
    defineRoute({
      method: 'POST',
      path: here,
      access,
      payload: { as: 'form' },
      async handler(context) {
        const values = valuesOf((context.payload ?? {}) as FormValues);
        try {
          const { application, secret } = await applications.create(context.actor.id, given(values));
          return await edit(context, application, { secret });
        } catch (error) {
          if (!Problem.is(error)) throw error;
          return list(context, values, refusedFlash(error));
        }
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${here}/revoke`,
      access,
      payload: { as: 'form' },
      request: { payload: params },
      async handler({ actor, payload }) {
        await grants.revoke(actor.id, payload.id);
        return reply.redirect(path(`${here}?saved=1`));
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${here}/{id}`,
      access,
      request: { params },
      handler: async (context) => edit(context, await own(context.actor.id, context.params.id)),
    }),
    defineRoute({
      method: 'POST',
      path: `${here}/{id}`,
      access,
      request: { params },
      payload: { as: 'form' },
      async handler(context) {
        const before = await own(context.actor.id, context.params.id);
        const values = valuesOf((context.payload ?? {}) as FormValues);
        try {
          const { application, secret } = await applications.update(before.id, given(values));
          return await edit(context, application, { secret });
        } catch (error) {
          if (!Problem.is(error)) throw error;
          return edit(context, before, { values, flash: refusedFlash(error) });
        }
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${here}/{id}/delete`,
      access,
      request: { params },
      payload: { as: 'form' },
      async handler({ actor, params: { id } }) {
        await applications.delete((await own(actor.id, id)).id);
        return reply.redirect(path(`${here}?saved=1`));
      },
    }),
  ];
}
