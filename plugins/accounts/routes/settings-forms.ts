import type { VNode } from 'preact';
import {
  defineRoute,
  type FieldNames,
  Forbidden,
  invalidInput,
  Joi,
  listHref,
  type PageOptions,
  Problem,
  reply,
  type Route,
  type RouteContext,
  savedFlash,
  type Site,
  type Text,
} from '@mortise/plugin-sdk';
import { preferredLanguage, type Account, type Accounts, type SettingsPage } from '../api.js';
import { RedirectTo, mailFlash } from './settings-mail.js';
import { t } from '../texts/index.js';

/** A form that passed its schema. */
export interface Submitted<T> extends Pick<RouteContext, 'actor' | 'remoteAddress'> {
  readonly payload: T;
  /** For mails. */
  readonly language: string;
}
type Context = RouteContext;
type Flash = PageOptions['flash'];
type Show = (context: Context, flash?: Flash, status?: number) => Promise<unknown>;

/** A field of text that may be left empty. */
export const textField = Joi.string().allow('').default('');

const fieldNames: FieldNames = {
  full_name: t.later('profile.fullName'),
  description: t.later('profile.bio'),
  website: t.later('profile.website'),
  location: t.later('profile.location'),
  visibility: t.later('profile.visibility'),
  avatar: t.later('avatar.title'),
  theme: t.later('appearance.theme'),
  language: t.later('appearance.language'),
  diff_view_style: t.later('appearance.diff'),
};

/** What the pages below `/user/settings` have in common: showing one, and taking a form of it. */
export const settingsForms = ({
  accounts,
  settingsPage,
  site,
}: {
  readonly accounts: Pick<Accounts, 'byId' | 'checkPassword'>;
  readonly settingsPage: SettingsPage;
  readonly site: Site;
}) => {
  const path = (to: string) => site.path(to);
  const me = async ({ actor }: Pick<Context, 'actor'>): Promise<Account> => {
    const account = await accounts.byId(actor.id);
    if (!account) throw Forbidden(t.later('error.accountGone'));
    return account;
  };
  const page =
    (
      active: string,
      title: Text,
      body: (context: Context, account: Account) => Promise<VNode> | VNode,
      islands?: readonly string[],
    ): Show =>
    async (context, flash, status) =>
      settingsPage({
        active,
        title,
        actor: context.actor,
        flash,
        status,
        islands,
        body: await body(context, await me(context)),
      });

  const show = (at: string, shown: Show): Route =>
    defineRoute({
      method: 'GET',
      path: at,
      access: { actor: 'user' },
      handler: (context) => shown(context, mailFlash(context.query) ?? savedFlash(context.query)),
    });
  /**
   * A form: on success back to its page, on refusal the page again with the reason. `run` gives the name of what it
   * deleted.
   */
  const form = <T>(
    at: string,
    shown: Show,
    back: string,
    schema: Joi.ObjectSchema<T>,
    run: (submitted: Submitted<T>) => Promise<unknown>,
    payload: Route['payload'] = { as: 'form' },
  ): Route =>
    defineRoute({
      method: 'POST',
      path: at,
      access: { actor: 'user' },
      payload,
      handler: async (context) => {
        try {
          const checked = schema.validate(context.payload ?? {}, { stripUnknown: true });
          if (checked.error) throw invalidInput(checked.error, fieldNames);
          const deleted = await run({
            actor: context.actor,
            remoteAddress: context.remoteAddress,
            payload: checked.value,
            language: preferredLanguage(context),
          });
          if (deleted instanceof RedirectTo) return reply.redirect(path(deleted.to), 303);
          return reply.redirect(path(typeof deleted === 'string' ? listHref(back, { deleted }) : `${back}?saved`), 303);
        } catch (error) {
          if (!Problem.is(error)) throw error;
          return shown(context, { kind: 'error', text: error.text, fields: error.inputs }, error.status);
        }
      },
    });
  const checkPassword = async (context: Submitted<unknown>, password: string) => {
    const own = await me(context);
    const check = await accounts.checkPassword(own.name, password, context.remoteAddress);
    if (check?.id !== own.id) throw Forbidden(t.later('error.passwordWrong'));
    return own;
  };

  return { checkPassword, form, me, page, path, show };
};
