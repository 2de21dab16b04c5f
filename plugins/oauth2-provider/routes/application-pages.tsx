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
  type Access,
  type Flash,
  type FormValues,
  type PageOptions,
  type Route,
  type RouteContext,
  type Text,
  type WebPage,
} from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import type { NewOAuth2Application, OAuth2Application, OAuth2Applications } from '../contract/oauth2-provider.js';
import { ApplicationList, EditApplication, emptyValues, type Values } from '../pages/applications.js';
import { t } from '../texts/index.js';

/** More than anybody may register. */
const maxListed = 500;

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

/** Settings that have pages for applications: where they lie, whose applications they show, and what frames them. */
export interface ApplicationLevel<S> {
  /** Route path of the list, for instance `/user/settings/oauth2`. */
  readonly path: string;
  readonly params: Readonly<Record<string, Joi.Schema>>;
  readonly access: Access<S>;
  /** Account that the applications belong to; 0: the site. */
  ownerId(context: RouteContext<S>): number;
  /** Address of the list. */
  base(context: RouteContext<S>): string;
  frame(
    context: RouteContext<S>,
    options: { title: Text; body: VNode } & Pick<PageOptions, 'status' | 'flash'>,
  ): WebPage | Promise<WebPage>;
  readonly note: Text;
  /** Above the list. */
  above?(context: RouteContext<S>): Promise<VNode>;
}

/** List and forms of the applications of one level. */
export function applicationPages<S>(applications: OAuth2Applications, level: ApplicationLevel<S>): readonly Route[] {
  type Context = RouteContext<S>;
  const { path, access, ownerId, base } = level;
  const params = Joi.object(level.params);
  const one = Joi.object<{ readonly id: number }>({ ...level.params, id: Joi.number().integer().required() });

  const list = async (context: Context, values = emptyValues, flash?: Flash) => {
    const { items } = await applications.list(ownerId(context), { limit: maxListed, offset: 0 });
    const above = await level.above?.(context);
    return level.frame(context, {
      title: t.later('settings.title'),
      flash,
      status: formStatus(flash),
      body: (
        <div>
          {above}
          <ApplicationList
            note={level.note}
            applications={items}
            values={values}
            base={base(context)}
            csrf={context.csrf}
          />
        </div>
      ),
    });
  };

  const edit = (
    context: Context,
    application: OAuth2Application,
    { secret, values = shown(application), flash }: { secret?: string; values?: Values; flash?: Flash } = {},
  ) =>
    level.frame(context, {
      title: application.name,
      flash,
      status: formStatus(flash),
      body: (
        <EditApplication
          application={application}
          secret={secret}
          values={values}
          base={base(context)}
          csrf={context.csrf}
        />
      ),
    });

  const own = async (context: RouteContext<S, { readonly id: number }>) => {
    const found = await applications.byId(context.params.id);
    if (found?.ownerId !== ownerId(context) || found.isBuiltIn) throw NotFound('application');
    return found;
  };

  return [
    defineRoute({
      method: 'GET',
      path,
      access,
      request: { params },
      handler: (context) => list(context, emptyValues, savedFlash(context.query)),
    }),
    defineRoute({
      method: 'POST',
      path,
      access,
      request: { params },
      payload: { as: 'form' },
      async handler(context) {
        const values = valuesOf((context.payload ?? {}) as FormValues);
        try {
          const { application, secret } = await applications.create(ownerId(context), given(values));
          return await edit(context, application, { secret });
        } catch (error) {
          if (!Problem.is(error)) throw error;
          return list(context, values, refusedFlash(error));
        }
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${path}/{id}`,
      access,
      request: { params: one },
      handler: async (context) => edit(context, await own(context)),
    }),
    defineRoute({
      method: 'POST',
      path: `${path}/{id}`,
      access,
      request: { params: one },
      payload: { as: 'form' },
      async handler(context) {
        const before = await own(context);
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
      path: `${path}/{id}/delete`,
      access,
      request: { params: one },
      payload: { as: 'form' },
      async handler(context) {
        await applications.delete((await own(context)).id);
        return reply.redirect(`${base(context)}?saved=1`);
      },
    }),
  ];
}
