import { defineRoute, Forbidden, Joi, reply, type Route, pictureBytes } from '@mortise/plugin-sdk';
import {
  emailSchema,
  userSchema,
  type Account,
  type AccountChanges,
  type AccountFeatures,
  type Accounts,
  type Emails,
} from '../api.js';
import type { Avatars } from '../services/avatars.js';
import type { EmailConfirmation } from '../services/confirmation.js';
import { isWebAddress } from '../services/names.js';
import { ownAccount } from './own-account.js';
import { t } from '../texts/index.js';

const text = (max: number) => Joi.string().allow('', null).max(max);
export const website = text(255).custom((value: string | null, helpers) =>
  !value || isWebAddress(value) ? value : helpers.error('string.uri'),
);

const settingsFields = {
  full_name: text(100),
  website,
  description: text(255),
  location: text(50),
  language: text(16),
  theme: text(64),
  diff_view_style: Joi.string().allow('', null).valid('', 'unified', 'split'),
  hide_email: Joi.boolean().allow(null),
  hide_activity: Joi.boolean().allow(null),
};
const settingsSchema = Joi.object(settingsFields).label('UserSettings');
type SettingsOptions = {
  readonly full_name?: string | null;
  readonly website?: string | null;
  readonly description?: string | null;
  readonly location?: string | null;
  readonly language?: string | null;
  readonly theme?: string | null;
  readonly diff_view_style?: '' | 'unified' | 'split' | null;
  readonly hide_email?: boolean | null;
  readonly hide_activity?: boolean | null;
};

const settingsOptions = Joi.object<SettingsOptions>(settingsFields).label('UserSettingsOptions');

/** ACC-04 */
const toSettings = (account: Account) => ({
  full_name: account.fullName,
  website: account.website,
  description: account.description,
  location: account.location,
  language: account.language,
  // clients show the name, so the one that is in force by itself is named too
  theme: account.theme || 'auto',
  diff_view_style: account.diffViewStyle,
  hide_email: account.keepEmailPrivate,
  hide_activity: account.hideActivity,
});

function toChanges(given: Record<string, unknown>): AccountChanges {
  return {
    fullName: given.full_name,
    website: given.website,
    description: given.description,
    location: given.location,
    language: given.language,
    theme: given.theme,
    diffViewStyle: given.diff_view_style,
    keepEmailPrivate: given.hide_email,
    hideActivity: given.hide_activity,
  } as AccountChanges;
}

interface Services {
  readonly accounts: Accounts;
  readonly features: AccountFeatures;
  readonly emails: Emails;
  readonly emailConfirmation: EmailConfirmation;
  readonly avatars: Avatars;
}

const own = { actor: 'user', scope: 'user' } as const;

const closed = { ...own, noPublicOnly: true } as const;

const addresses = Joi.object<{ readonly emails?: readonly string[] }>({
  emails: Joi.array().items(Joi.string().allow('').max(254)),
});

/** What these routes share. */
function userContext({ accounts, features, emails, emailConfirmation, avatars }: Services) {
  const emailList = async (userId: number) =>
    (await emails.list(userId)).map((entry) => ({
      email: entry.email,
      verified: entry.isVerified,
      primary: entry.isPrimary,
      user_id: entry.userId,
      username: '',
    }));
  return { accounts, features, emailList, emailConfirmation, emails, avatars };
}

type UserRouteContext = ReturnType<typeof userContext>;

const userGetCurrent = ({ accounts }: UserRouteContext) =>
  defineRoute({
    method: 'GET',
    path: '/api/v1/user',
    id: 'userGetCurrent',
    tags: ['user'],
    summary: 'The signed-in account',
    access: own,
    responses: { 200: userSchema },
    handler: async ({ actor }) => accounts.toApiUser(await ownAccount(accounts, actor), actor),
  });

const getUserSettings = ({ accounts }: UserRouteContext) =>
  defineRoute({
    method: 'GET',
    path: '/api/v1/user/settings',
    id: 'getUserSettings',
    tags: ['user'],
    summary: 'Settings of the signed-in account',
    access: closed,
    responses: { 200: settingsSchema },
    handler: async ({ actor }) => toSettings(await ownAccount(accounts, actor)),
  });

const updateUserSettings = ({ accounts, features }: UserRouteContext) =>
  defineRoute({
    method: 'PATCH',
    path: '/api/v1/user/settings',
    id: 'updateUserSettings',
    tags: ['user'],
    summary: 'Change settings of the signed-in account',
    access: closed,
    request: { payload: settingsOptions },
    responses: { 200: settingsSchema },
    handler: async ({ actor, payload }) => {
      const changes = toChanges(payload);
      if (changes.fullName !== undefined && changes.fullName !== (await accounts.byId(actor.id))?.fullName)
        await features.check(actor.id, 'change_full_name');
      return toSettings(await accounts.update(actor.id, changes));
    },
  });

const userListEmails = ({ emailList }: UserRouteContext) =>
  defineRoute({
    method: 'GET',
    path: '/api/v1/user/emails',
    id: 'userListEmails',
    tags: ['user'],
    summary: 'Email addresses of the signed-in account',
    access: closed,
    responses: { 200: Joi.array().items(emailSchema) },
    handler: ({ actor }) => emailList(actor.id),
  });

const userAddEmail = ({ features, emailConfirmation, accounts, emailList }: UserRouteContext) =>
  defineRoute({
    method: 'POST',
    path: '/api/v1/user/emails',
    id: 'userAddEmail',
    tags: ['user'],
    summary: 'Add email addresses',
    access: closed,
    request: { payload: addresses.label('CreateEmailOption') },
    responses: { 201: Joi.array().items(emailSchema) },
    handler: async ({ actor, payload, remoteAddress }) => {
      await features.check(actor.id, 'manage_credentials');
      // a page asks for the password again; a browser's session alone must not add a way into the account
      if (actor.method === 'session') throw Forbidden(t.later('error.addOnPage'));
      await emailConfirmation.add(await ownAccount(accounts, actor), payload.emails ?? [], remoteAddress);
      return reply.created(await emailList(actor.id));
    },
  });

const userDeleteEmail = ({ features, emails }: UserRouteContext) =>
  defineRoute({
    method: 'DELETE',
    path: '/api/v1/user/emails',
    id: 'userDeleteEmail',
    tags: ['user'],
    summary: 'Delete email addresses',
    access: closed,
    request: { payload: addresses.label('DeleteEmailOption') },
    responses: { 204: null },
    handler: async ({ actor, payload }) => {
      await features.check(actor.id, 'manage_credentials');
      await emails.remove(actor.id, payload.emails ?? []);
    },
  });

const userUpdateAvatar = ({ avatars }: UserRouteContext) =>
  defineRoute({
    method: 'POST',
    path: '/api/v1/user/avatar',
    id: 'userUpdateAvatar',
    tags: ['user'],
    summary: 'Upload a picture',
    access: closed,
    request: {
      payload: Joi.object<{ readonly image: string }>({ image: Joi.string().required() }).label(
        'UpdateUserAvatarOption',
      ),
    },
    responses: { 204: null },
    handler: ({ actor, payload }) => avatars.upload(actor.id, pictureBytes(payload.image)),
  });

const userDeleteAvatar = ({ avatars }: UserRouteContext) =>
  defineRoute({
    method: 'DELETE',
    path: '/api/v1/user/avatar',
    id: 'userDeleteAvatar',
    tags: ['user'],
    summary: 'Remove the picture',
    access: closed,
    responses: { 204: null },
    handler: ({ actor }) => avatars.remove(actor.id),
  });

/** `/user`: the signed-in account itself. TOK-27: its mailbox and settings are closed to public-only tokens. */
export function userRoutes(deps: Services): readonly Route[] {
  const context = userContext(deps);
  return [
    userGetCurrent(context),
    getUserSettings(context),
    updateUserSettings(context),
    userListEmails(context),
    userAddEmail(context),
    userDeleteEmail(context),
    userUpdateAvatar(context),
    userDeleteAvatar(context),
  ];
}
