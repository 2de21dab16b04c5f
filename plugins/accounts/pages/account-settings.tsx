import {
  checkFields,
  Forbidden,
  Invalid,
  Joi,
  type PointReader,
  Problem,
  type Route,
  type Site,
} from '@mortise/plugin-sdk';
import type { AccountFeatures, Accounts, Emails, OwnerConfirmation, SettingsPage } from '../api.js';
import { AccountForms } from './account-forms.js';
import type { EmailConfirmation } from '../services/confirmation.js';
import { settingsForms, type Submitted, textField } from '../routes/settings-forms.js';
import { sentTo } from '../routes/settings-mail.js';
import { t } from '../texts/index.js';

interface AccountSettingsDeps {
  readonly accounts: Accounts;
  readonly features: AccountFeatures;
  readonly emails: Emails;
  readonly emailConfirmation: EmailConfirmation;
  readonly settingsPage: SettingsPage;
  readonly site: Site;
  readonly confirmations: PointReader<OwnerConfirmation>;
}

/** What these routes share. */
function accountSettingsContext(deps: AccountSettingsDeps) {
  const { accounts, features, emails, emailConfirmation, confirmations } = deps;
  const { checkPassword, form, me, page, path, show } = settingsForms(deps);
  /** An address opens the account for good (password recovery): a session that somebody found is not enough for one. */
  const confirmOwner = async ({ actor, remoteAddress }: Submitted<unknown>, password: string, field: string) => {
    for (const confirmation of confirmations.list()) await confirmation.check(actor, password, remoteAddress, field);
  };
  const account = page('account', t.later('account.title'), async ({ payload }, one) => (
    <AccountForms
      account={one}
      emails={await emails.list(one.id)}
      hasPassword={(await Promise.all(confirmations.list().map((each) => each.hasPassword(one.id)))).some(Boolean)}
      canConfirm={emailConfirmation.isOffered}
      hasCredentials={!(await features.isOff(one, 'manage_credentials'))}
      canDelete={!(await features.isOff(one, 'deletion'))}
      path={path}
      sent={payload}
    />
  ));
  return { show, account, form, features, me, checkPassword, accounts, confirmOwner, emailConfirmation, emails };
}

type AccountSettingsRouteContext = ReturnType<typeof accountSettingsContext>;

const changePassword = ({ form, account, features, me, checkPassword, accounts }: AccountSettingsRouteContext) =>
  form(
    '/user/settings/account/password',
    account,
    '/user/settings/account',
    Joi.object<{ readonly old_password: string; readonly password: string; readonly retype: string }>({
      old_password: textField,
      password: textField,
      retype: textField,
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
  );

const addEmail = ({ form, account, features, confirmOwner, emailConfirmation, me }: AccountSettingsRouteContext) =>
  form(
    '/user/settings/account/email',
    account,
    '/user/settings/account',
    Joi.object<{ readonly email: string; readonly password: string }>({ email: textField, password: textField }),
    async (context) => {
      const { email, password } = context.payload;
      await features.check(context.actor.id, 'manage_credentials');
      await confirmOwner(context, password, 'email_password');
      await emailConfirmation.add(await me(context), [email], context.remoteAddress, context.language);
      return emailConfirmation.isOffered ? sentTo(email) : undefined;
    },
  );

const confirmEmail = ({ form, account, emailConfirmation, me }: AccountSettingsRouteContext) =>
  form(
    '/user/settings/account/email/confirm',
    account,
    '/user/settings/account',
    Joi.object<{ readonly email: string }>({ email: textField }),
    async (context) => {
      const { email } = context.payload;
      const { remoteAddress, language } = context;
      if (!(await emailConfirmation.sendAgain(await me(context), email, remoteAddress, language)))
        throw new Problem('too_many', t.later('error.mailMany'));
      return sentTo(email);
    },
  );

const makeEmailPrimary = ({ form, account, features, confirmOwner, emails }: AccountSettingsRouteContext) =>
  form(
    '/user/settings/account/email/primary',
    account,
    '/user/settings/account',
    Joi.object<{ readonly email: string; readonly password: string }>({ email: textField, password: textField }),
    async (context) => {
      const { actor, payload } = context;
      await features.check(actor.id, 'manage_credentials');
      await confirmOwner(context, payload.password, 'primary_password');
      await emails.makePrimary(actor.id, payload.email);
    },
  );

const deleteEmail = ({ form, account, features, emails }: AccountSettingsRouteContext) =>
  form(
    '/user/settings/account/email/delete',
    account,
    '/user/settings/account',
    Joi.object<{ readonly email: string }>({ email: textField }),
    async ({ actor, payload }) => {
      await features.check(actor.id, 'manage_credentials');
      await emails.remove(actor.id, [payload.email]);
      return payload.email;
    },
  );

const deleteOwnAccount = ({ form, account, features, checkPassword, accounts }: AccountSettingsRouteContext) =>
  form(
    '/user/settings/account/delete',
    account,
    '/',
    Joi.object<{ readonly password: string }>({ password: textField }),
    async (context) => {
      await features.check(context.actor.id, 'deletion');
      await checkFields({ delete_password: () => checkPassword(context, context.payload.password) });
      await accounts.delete(context.actor.id);
    },
  );

/** `/user/settings/account`: password, addresses, and the end of the account. */
export function accountSettingsRoutes(deps: AccountSettingsDeps): readonly Route[] {
  const context = accountSettingsContext(deps);
  const { show, account } = context;
  return [
    show('/user/settings/account', account),
    changePassword(context),
    addEmail(context),
    confirmEmail(context),
    makeEmailPrimary(context),
    deleteEmail(context),
    deleteOwnAccount(context),
  ];
}
