import {
  type ApiScopes,
  defineRoute,
  Forbidden,
  Joi,
  listHref,
  Problem,
  refusedFlash,
  reply,
  savedFlash,
  type PageOptions,
  type Route,
  type RouteContext,
  type Site,
} from '@mortise/plugin-sdk';
import type { SettingsPage } from '@mortise/accounts/api';
import type { AccessTokens, OfferedCategory, TokenScopes } from '../contract/auth-token.js';
import { Applications } from '../pages/applications.js';
import { t } from '../texts/index.js';

interface Services {
  readonly accessTokens: AccessTokens;
  readonly apiScopes: ApiScopes;
  readonly settingsPage: SettingsPage;
  readonly site: Site;
  readonly tokenScopes: TokenScopes;
}

/** Scope words of the form's menus; the category `admin` is for administrators (TOK-12). */
function chosenScopes(payload: Record<string, unknown>, offered: readonly OfferedCategory[]): string[] {
  const scopes = offered.flatMap(({ key }) =>
    payload[`scope_${key}`] ? [`${String(payload[`scope_${key}`])}:${key}`] : [],
  );
  return payload.public_only === 'true' ? ['public-only', ...scopes] : scopes;
}

/** `/user/settings/applications`: one's own tokens. */
export const applicationPages = ({
  accessTokens,
  apiScopes,
  settingsPage,
  site,
  tokenScopes,
}: Services): readonly Route[] => {
  const path = (to: string) => site.path(to);
  const access = { actor: 'user' } as const;
  const page = async (
    { actor, csrf }: RouteContext,
    more: {
      secret?: string;
      flash?: PageOptions['flash'];
      status?: number;
      sent?: Readonly<Record<string, unknown>>;
    } = {},
  ) => {
    const tokens = await accessTokens.list(actor.id, { limit: 500, offset: 0 });
    return settingsPage({
      active: 'applications',
      title: t.later('applications.title'),
      actor,
      flash: more.flash,
      status: more.status,
      body: (
        <Applications
          tokens={tokens.items}
          secret={more.secret}
          sent={more.sent}
          categories={offered(actor.isAdmin)}
          csrf={csrf}
          path={path}
        />
      ),
    });
  };
  /** What no route of the loaded plugins asks for would be an empty promise. */
  const offered = (isAdmin: boolean) => {
    const used = new Set(apiScopes.used());
    return tokenScopes.categories.filter(({ key }) => used.has(key) && (key !== 'admin' || isAdmin));
  };
  /** A token sent by a program must not make further ones here; people sign in for this. */
  const requireUser = ({ actor }: RouteContext) => {
    if (actor.method === 'token') throw Forbidden(t.later('error.signIn'));
  };
  return [
    defineRoute({
      method: 'GET',
      path: '/user/settings/applications',
      access,
      handler: (context) => page(context, { flash: savedFlash(context.query) }),
    }),
    defineRoute({
      method: 'POST',
      path: '/user/settings/applications',
      access,
      payload: { as: 'form' },
      handler: async (context) => {
        requireUser(context);
        const { actor } = context;
        const payload = (context.payload ?? {}) as Record<string, unknown>;
        try {
          const made = await accessTokens.create({
            userId: actor.id,
            name: String(payload.name ?? '').trim(),
            scopes: chosenScopes(payload, offered(actor.isAdmin)),
            creator: actor,
          });
          return await page(context, { secret: made.secret });
        } catch (error) {
          if (!Problem.is(error)) throw error;
          return page(context, { flash: refusedFlash(error), status: error.status, sent: payload });
        }
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/user/settings/applications/delete',
      access,
      payload: { as: 'form' },
      request: { payload: Joi.object<{ readonly id: number }>({ id: Joi.number().integer().required() }) },
      handler: async (context) => {
        requireUser(context);
        const id = context.payload.id as number;
        const token = await accessTokens.byId(id);
        await accessTokens.remove(context.actor.id, id);
        return reply.redirect(listHref(path('/user/settings/applications'), { deleted: token?.name }), 303);
      },
    }),
  ];
};
