import type { VNode } from 'preact';
import {
  checkFields,
  defineRoute,
  type FieldNames,
  Forbidden,
  Invalid,
  invalidInput,
  Joi,
  type Languages,
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
import {
  wishedLanguage,
  type Account,
  type AccountFeatures,
  type Accounts,
  type Emails,
  type PublicKeys,
  type SettingsPage,
} from '../api.js';
import { avatarIslands } from '../contract/avatar-field.js';
import { AccountForms, AppearanceForm, KeyForms, ProfileForm } from '../pages/settings.js';
import type { Avatars } from '../services/avatars.js';
import type { EmailConfirmation } from '../services/confirmation.js';
import { Lead, mailFlash, sentTo } from './settings-mail.js';
import { website } from './user.js';
import { t } from '../texts/index.js';

interface Services {
  readonly accounts: Accounts;
  readonly features: AccountFeatures;
  readonly emails: Emails;
  readonly emailConfirmation: EmailConfirmation;
  readonly publicKeys: PublicKeys;
  readonly avatars: Avatars;
  readonly settingsPage: SettingsPage;
  readonly languages: Languages;
  readonly site: Site;
}

type Context = RouteContext;
/** A form that passed its schema. */
interface Submitted<T> extends Pick<RouteContext, 'actor' | 'remoteAddress'> {
  readonly payload: T;
  /** For mails. */
  readonly language: string;
}
interface Profile {
  readonly full_name: string;
  readonly description: string;
  readonly website?: string | null;
  readonly location: string;
  readonly visibility: 'public' | 'limited' | 'private';
  readonly hide_email: boolean;
  readonly hide_activity: boolean;
}

interface Appearance {
  readonly theme: 'auto' | 'light' | 'dark';
  readonly language: string;
  readonly diff_view_style: 'unified' | 'split';
}

type Flash = PageOptions['flash'];
type Show = (context: Context, flash?: Flash, status?: number) => Promise<unknown>;

const text = (max: number) => Joi.string().allow('').max(max).default('');
const word = Joi.string().allow('').default('');
const box = Joi.boolean().default(false);
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

/** `/user/settings`: profile, account, SSH keys and appearance; forms that work without scripts. */
export const settingsPageRoutes = ({
  accounts,
  features,
  emails,
  emailConfirmation,
  publicKeys,
  avatars,
  settingsPage,
  languages,
  site,
}: Services): readonly Route[] => {
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

  const profile = page(
    'profile',
    t.later('profile.title'),
    async ({ csrf, payload }, account) => (
      <ProfileForm
        account={account}
        hasFixedName={await features.isOff(account, 'change_full_name')}
        avatarUrl={accounts.avatarUrl(account)}
        csrf={csrf}
        path={path}
        sent={payload}
      />
    ),
    avatarIslands,
  );
  const account = page('account', t.later('account.title'), async ({ csrf, payload }, one) => (
    <AccountForms
      account={one}
      emails={await emails.list(one.id)}
      canConfirm={emailConfirmation.isOffered}
      hasCredentials={!(await features.isOff(one, 'manage_credentials'))}
      canDelete={!(await features.isOff(one, 'deletion'))}
      csrf={csrf}
      path={path}
      sent={payload}
    />
  ));
  const keys = page('keys', t.later('keys.title'), async ({ csrf, payload }, one) => {
    const found = await publicKeys.list({ userId: one.id, limit: 500, offset: 0 });
    return (
      <KeyForms
        keys={found.items}
        isFixed={await features.isOff(one, 'manage_ssh_keys')}
        csrf={csrf}
        path={path}
        sent={payload}
      />
    );
  });
  const appearance = page('appearance', t.later('appearance.title'), ({ csrf }, one) => (
    <AppearanceForm account={one} languages={languages} csrf={csrf} path={path} />
  ));

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
  const form = <T,>(
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
            language: wishedLanguage(context),
          });
          if (deleted instanceof Lead) return reply.redirect(path(deleted.to), 303);
          return reply.redirect(path(typeof deleted === 'string' ? listHref(back, { deleted }) : `${back}?saved`), 303);
        } catch (error) {
          if (!Problem.is(error)) throw error;
          return shown(context, { kind: 'error', text: error.text, fields: error.inputs }, error.status);
        }
      },
    });
  const checkPassword = async (context: Submitted<unknown>, password: string) => {
    const own = await me(context);
    const found = await accounts.checkPassword(own.name, password, context.remoteAddress);
    if (found?.id !== own.id) throw Forbidden(t.later('error.passwordWrong'));
    return own;
  };

  return [
    // A well-known address, by which password managers find the page (W3C, "A Well-Known URL for Changing Passwords").
    defineRoute({
      method: 'GET',
      path: '/.well-known/change-password',
      surface: 'protocol',
      access: { actor: 'anyone', always: true },
      handler: () => reply.redirect(site.path('/user/settings/account')),
    }),
    show('/user/settings', profile),
    form(
      '/user/settings',
      profile,
      '/user/settings',
      Joi.object<Profile>({
        full_name: text(100),
        description: text(255),
        website,
        location: text(50),
        visibility: Joi.string().valid('public', 'limited', 'private').required(),
        hide_email: box,
        hide_activity: box,
      }),
      async (context) => {
        const { actor, payload } = context;
        const hasFixedName = await features.isOff(await me(context), 'change_full_name');
        return accounts.update(actor.id, {
          fullName: hasFixedName ? undefined : payload.full_name,
          description: payload.description,
          website: payload.website ?? '',
          location: payload.location,
          visibility: payload.visibility,
          keepEmailPrivate: payload.hide_email,
          hideActivity: payload.hide_activity,
        });
      },
    ),
    form(
      '/user/settings/avatar',
      profile,
      '/user/settings',
      Joi.object({ avatar: Joi.any().required() }),
      async ({ actor, payload }) => avatars.uploadFile(actor.id, payload.avatar),
      { as: 'multipart', maxBytes: avatars.maxBytes + 64 * 1024 },
    ),
    form('/user/settings/avatar/delete', profile, '/user/settings', Joi.object(), ({ actor }) =>
      avatars.remove(actor.id),
    ),
    show('/user/settings/account', account),
    form(
      '/user/settings/account/password',
      account,
      '/user/settings/account',
      Joi.object<{ readonly old_password: string; readonly password: string; readonly retype: string }>({
        old_password: word,
        password: word,
        retype: word,
      }),
      async (context) => {
        const { payload, actor } = context;
        await features.check(actor.id, 'manage_credentials');
        // it is kept, and changed, where the account comes from
        if ((await me(context)).sourceId !== 0) throw Forbidden(t.later('error.featureOff'));
        await checkFields({
          old_password: () => checkPassword(context, payload.old_password),
          password: () => accounts.checkNewPassword(payload.password),
          retype() {
            if (payload.password !== payload.retype) throw Invalid(t.later('error.passwordMismatch'));
          },
        });
        await accounts.update(actor.id, {
          password: payload.password,
          mustChangePassword: false,
          keepSession: actor.credentialId,
        });
      },
    ),
    form(
      '/user/settings/account/email',
      account,
      '/user/settings/account',
      Joi.object<{ readonly email: string }>({ email: word }),
      async (context) => {
        const { email } = context.payload;
        await features.check(context.actor.id, 'manage_credentials');
        await emailConfirmation.add(await me(context), [email], context.remoteAddress, context.language);
        return emailConfirmation.isOffered ? sentTo(email) : undefined;
      },
    ),
    form(
      '/user/settings/account/email/confirm',
      account,
      '/user/settings/account',
      Joi.object<{ readonly email: string }>({ email: word }),
      async (context) => {
        const { email } = context.payload;
        const { remoteAddress, language } = context;
        if (!(await emailConfirmation.sendAgain(await me(context), email, remoteAddress, language)))
          throw new Problem('too_many', t.later('error.mailMany'));
        return sentTo(email);
      },
    ),
    form(
      '/user/settings/account/email/primary',
      account,
      '/user/settings/account',
      Joi.object<{ readonly email: string }>({ email: word }),
      async ({ actor, payload }) => {
        await features.check(actor.id, 'manage_credentials');
        await emails.makePrimary(actor.id, payload.email);
      },
    ),
    form(
      '/user/settings/account/email/delete',
      account,
      '/user/settings/account',
      Joi.object<{ readonly email: string }>({ email: word }),
      async ({ actor, payload }) => {
        await features.check(actor.id, 'manage_credentials');
        await emails.remove(actor.id, [payload.email]);
        return payload.email;
      },
    ),
    form(
      '/user/settings/account/delete',
      account,
      '/',
      Joi.object<{ readonly password: string }>({ password: word }),
      async (context) => {
        await features.check(context.actor.id, 'deletion');
        await checkFields({ delete_password: () => checkPassword(context, context.payload.password) });
        await accounts.delete(context.actor.id);
      },
    ),
    show('/user/settings/keys', keys),
    form(
      '/user/settings/keys',
      keys,
      '/user/settings/keys',
      Joi.object<{ readonly title: string; readonly key: string; readonly read_only: boolean }>({
        title: word,
        key: word,
        read_only: box,
      }),
      async ({ actor, payload }) => {
        await features.check(actor.id, 'manage_ssh_keys');
        await publicKeys.add(actor.id, { title: payload.title, key: payload.key, readOnly: payload.read_only });
      },
    ),
    form(
      '/user/settings/keys/delete',
      keys,
      '/user/settings/keys',
      Joi.object<{ readonly id: number }>({ id: Joi.number().integer().required() }),
      async ({ actor, payload }) => {
        const key = await publicKeys.byId(payload.id);
        if (key?.userId !== actor.id) return undefined;
        await features.check(actor.id, 'manage_ssh_keys');
        await publicKeys.remove(key.id);
        return key.title;
      },
    ),
    show('/user/settings/appearance', appearance),
    form(
      '/user/settings/appearance',
      appearance,
      '/user/settings/appearance',
      Joi.object<Appearance>({
        theme: Joi.string().valid('auto', 'light', 'dark').required(),
        language: Joi.string().allow('').max(16).default(''),
        diff_view_style: Joi.string().valid('unified', 'split').required(),
      }),
      ({ actor, payload }) =>
        accounts.update(actor.id, {
          theme: payload.theme,
          language: languages.find(payload.language)?.tag ?? '',
          diffViewStyle: payload.diff_view_style,
        }),
    ),
  ];
};
