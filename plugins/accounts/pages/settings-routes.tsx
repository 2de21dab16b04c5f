import { defineRoute, Joi, type Languages, reply, type Route, type Site } from '@mortise/plugin-sdk';
import type { AccountFeatures, Accounts, PublicKeys, SettingsPage } from '../api.js';
import { avatarIslands } from '../contract/avatar-field.js';
import { AppearanceForm, KeyForms, ProfileForm } from './settings.js';
import type { Avatars } from '../services/avatars.js';
import type { Theme } from '../settings.js';
import { settingsForms, textField } from '../routes/settings-forms.js';
import { website } from '../routes/user.js';
import { t } from '../texts/index.js';

interface Services {
  readonly accounts: Accounts;
  readonly features: AccountFeatures;
  readonly publicKeys: PublicKeys;
  readonly avatars: Avatars;
  readonly settingsPage: SettingsPage;
  readonly languages: Languages;
  readonly site: Site;
  /** That may be chosen. */
  readonly themes: readonly Theme[];
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
  readonly theme: Theme;
  readonly language: string;
  readonly diff_view_style: 'unified' | 'split';
}

const text = (max: number) => Joi.string().allow('').max(max).default('');
const box = Joi.boolean().default(false);

/** What these routes share. */
function settingsPageContext(deps: Services) {
  const { accounts, features, publicKeys, avatars, settingsPage, languages, site, themes } = deps;
  const { form, me, page, path, show } = settingsForms({ accounts, settingsPage, site });
  const profile = page(
    'profile',
    t.later('profile.title'),
    async ({ payload }, account) => (
      <ProfileForm
        account={account}
        hasFixedName={await features.isOff(account, 'change_full_name')}
        avatarUrl={accounts.avatarUrl(account)}
        visibilities={accounts.visibilitiesFor(account)}
        path={path}
        sent={payload}
      />
    ),
    avatarIslands,
  );
  const keys = page('keys', t.later('keys.title'), async ({ payload }, one) => {
    const keys = await publicKeys.list({ userId: one.id, limit: 500, offset: 0 });
    return (
      <KeyForms keys={keys.items} isFixed={await features.isOff(one, 'manage_ssh_keys')} path={path} sent={payload} />
    );
  });
  const appearance = page('appearance', t.later('appearance.title'), (_, one) => (
    <AppearanceForm account={one} languages={languages} themes={themes} path={path} />
  ));
  return {
    site,
    show,
    profile,
    form,
    features,
    me,
    accounts,
    avatars,
    keys,
    publicKeys,
    appearance,
    languages,
    themes,
  };
}

type SettingsPageRouteContext = ReturnType<typeof settingsPageContext>;

// A well-known address, by which password managers find the page (W3C, "A Well-Known URL for Changing Passwords").
const wellKnownChangePasswordPage = ({ site }: SettingsPageRouteContext) =>
  defineRoute({
    method: 'GET',
    path: '/.well-known/change-password',
    surface: 'protocol',
    access: { actor: 'anyone', always: true },
    handler: () => reply.redirect(site.path('/user/settings/account')),
  });

const saveProfile = ({ form, profile, features, me, accounts }: SettingsPageRouteContext) =>
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
  );

const uploadAvatar = ({ form, profile, avatars }: SettingsPageRouteContext) =>
  form(
    '/user/settings/avatar',
    profile,
    '/user/settings',
    Joi.object({ avatar: Joi.any().required() }),
    async ({ actor, payload }) => avatars.uploadFile(actor.id, payload.avatar),
    { as: 'multipart', maxBytes: avatars.maxBytes + 64 * 1024 },
  );

const deleteAvatar = ({ form, profile, avatars }: SettingsPageRouteContext) =>
  form('/user/settings/avatar/delete', profile, '/user/settings', Joi.object(), ({ actor }) =>
    avatars.remove(actor.id),
  );

const addKey = ({ form, keys, features, publicKeys }: SettingsPageRouteContext) =>
  form(
    '/user/settings/keys',
    keys,
    '/user/settings/keys',
    Joi.object<{ readonly title: string; readonly key: string; readonly read_only: boolean }>({
      title: textField,
      key: textField,
      read_only: box,
    }),
    async ({ actor, payload }) => {
      await features.check(actor.id, 'manage_ssh_keys');
      await publicKeys.add(actor.id, { title: payload.title, key: payload.key, readOnly: payload.read_only });
    },
  );

const deleteKey = ({ form, keys, publicKeys, features }: SettingsPageRouteContext) =>
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
  );

const saveAppearance = ({ form, appearance, accounts, languages, themes }: SettingsPageRouteContext) =>
  form(
    '/user/settings/appearance',
    appearance,
    '/user/settings/appearance',
    Joi.object<Appearance>({
      theme: Joi.string()
        .valid(...themes)
        .required(),
      language: Joi.string().allow('').max(16).default(''),
      diff_view_style: Joi.string().valid('unified', 'split').required(),
    }),
    ({ actor, payload }) =>
      accounts.update(actor.id, {
        theme: payload.theme,
        language: languages.find(payload.language)?.tag ?? '',
        diffViewStyle: payload.diff_view_style,
      }),
  );

/** `/user/settings`: profile, SSH keys and appearance; forms that work without scripts. */
export function settingsPageRoutes(deps: Services): readonly Route[] {
  const context = settingsPageContext(deps);
  const { show, profile, keys, appearance } = context;
  return [
    wellKnownChangePasswordPage(context),
    show('/user/settings', profile),
    saveProfile(context),
    uploadAvatar(context),
    deleteAvatar(context),
    show('/user/settings/keys', keys),
    addKey(context),
    deleteKey(context),
    show('/user/settings/appearance', appearance),
    saveAppearance(context),
  ];
}
