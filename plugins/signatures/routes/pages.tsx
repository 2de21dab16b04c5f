import {
  defineRoute,
  Joi,
  Problem,
  reply,
  type Actor,
  type PageOptions,
  type Route,
  type RouteContext,
  type Site,
} from '@mortise/plugin-sdk';
import type { AccountFeatures, Accounts, Emails, SettingsPage } from '@mortise/accounts/api';
import type { GpgKeys } from '../contract/signatures.js';
import { GpgKeyForms } from '../pages/gpg-keys.js';
import { t } from '../texts/index.js';

interface Services {
  readonly accountFeatures: AccountFeatures;
  readonly accounts: Accounts;
  readonly emails: Emails;
  readonly gpgKeys: GpgKeys;
  readonly settingsPage: SettingsPage;
  readonly site: Site;
}

const at = '/user/settings/gpg_keys';
const text = Joi.string()
  .allow('')
  .max(1 << 20)
  .default('');

/** `/user/settings/gpg_keys`; forms that work without scripts. */
export const gpgPageRoutes = ({
  accountFeatures,
  accounts,
  emails,
  gpgKeys,
  settingsPage,
  site,
}: Services): readonly Route[] => {
  const path = (to: string) => site.path(to);
  const show = async (
    { actor, csrf }: Pick<RouteContext, 'actor' | 'csrf'>,
    more: { flash?: PageOptions['flash']; status?: number; draft?: { key?: string; signature?: string } } = {},
  ) => {
    const account = await accounts.byId(actor.id);
    const keys = await gpgKeys.list({ userId: actor.id, limit: 500, offset: 0 });
    return settingsPage({
      active: 'gpg-keys',
      title: t.later('title'),
      actor,
      flash: more.flash,
      status: more.status,
      body: (
        <GpgKeyForms
          keys={keys.items}
          isFixed={account !== undefined && (await accountFeatures.isOff(account, 'manage_gpg_keys'))}
          emails={await emails.list(actor.id)}
          token={gpgKeys.token(actor.id)}
          csrf={csrf}
          path={path}
          draft={more.draft}
        />
      ),
    });
  };
  const form = <T,>(
    to: string,
    schema: Joi.ObjectSchema<T>,
    run: (submitted: { readonly actor: Actor; readonly payload: T }) => Promise<unknown>,
  ): Route =>
    defineRoute({
      method: 'POST',
      path: to,
      access: { actor: 'user' },
      payload: { as: 'form' },
      handler: async (context) => {
        const { value, error: wrong } = schema.validate(context.payload ?? {}, { stripUnknown: true });
        try {
          if (wrong) throw new Problem('invalid', wrong.message);
          await accountFeatures.check(context.actor.id, 'manage_gpg_keys');
          await run({ actor: context.actor, payload: value });
          return reply.redirect(path(`${at}?saved`), 303);
        } catch (error) {
          if (!Problem.is(error)) throw error;
          return show(context, {
            flash: { kind: 'error', text: error.text },
            status: error.status,
            draft: to === at ? value : undefined,
          });
        }
      },
    });
  return [
    defineRoute({
      method: 'GET',
      path: at,
      access: { actor: 'user' },
      handler: (context) =>
        show(context, context.query.saved === undefined ? {} : { flash: { kind: 'success', text: t.later('saved') } }),
    }),
    form(
      at,
      Joi.object<{ readonly key: string; readonly signature: string }>({ key: text, signature: text }),
      ({ actor, payload }) => gpgKeys.add(actor.id, payload.key, payload.signature || undefined),
    ),
    form(
      `${at}/verify`,
      Joi.object<{ readonly key_id: string; readonly signature: string }>({ key_id: text, signature: text }),
      ({ actor, payload }) => gpgKeys.prove(actor.id, payload.key_id, payload.signature),
    ),
    form(
      `${at}/delete`,
      Joi.object<{ readonly id: number }>({ id: Joi.number().integer().required() }),
      async ({ actor, payload }) => {
        const key = await gpgKeys.byId(payload.id);
        if (key && key.userId === actor.id) await gpgKeys.remove(key.id);
      },
    ),
  ];
};
