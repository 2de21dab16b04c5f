import {
  checkFields,
  Invalid,
  Joi,
  pageRoute,
  postRoute,
  Problem,
  reply,
  webPage,
  type PageOptions,
  type Route,
} from '@mortise/plugin-sdk';
import type { SignInStep } from '../api.js';
import { NewPasswordForm } from './forms.js';
import { t } from '../texts/index.js';
import { open, type SignInDeps, textField } from './sign-in.js';

interface PasswordFields {
  readonly password: string;
  readonly retype: string;
}

export function checkSame(password: string, again: string): void {
  if (password !== again) throw Invalid(t.later('error.passwordMismatch'));
}

const key = 'change-password';
const path = '/user/settings/change_password';

/** Users whose password somebody else set choose their own before they go on. */
export const newPasswordStep: SignInStep = {
  key,
  order: 50,
  page: ({ account }) => (account.mustChangePassword ? path : undefined),
};

/** The page of that step. */
export const newPasswordPages = ({ accounts, signInFlow, site }: SignInDeps): readonly Route[] => {
  const page = (flash?: PageOptions['flash'], status?: number) =>
    webPage({
      title: t.later('newPassword.title'),
      width: 'narrow',
      flash,
      status,
      body: <NewPasswordForm path={(to) => site.path(to)} />,
    });
  return [
    pageRoute(path, open, async (context) =>
      (await signInFlow.at(context, key))
        ? page()
        : reply.redirect(site.path(context.actor.kind === 'user' ? '/user/settings/account' : '/user/login')),
    ),
    postRoute(
      path,
      open,
      async (context) => {
        const { password, retype } = context.payload;
        const pendingSignIn = await signInFlow.at(context, key);
        if (!pendingSignIn) return reply.redirect(site.path('/user/login'));
        const { account } = pendingSignIn;
        try {
          await checkFields({
            async password() {
              accounts.checkNewPassword(password);
              if (await accounts.checkPassword(account.name, password)) throw Invalid(t.later('error.passwordSame'));
            },
            retype: () => checkSame(password, retype),
          });
          await accounts.update(account.id, { password, mustChangePassword: false });
        } catch (error) {
          if (!Problem.is(error)) throw error;
          return page({ kind: 'error', text: error.text, fields: error.inputs }, error.status);
        }
        return signInFlow.pass(context, pendingSignIn, key);
      },
      { payload: Joi.object<PasswordFields>({ password: textField, retype: textField }) },
    ),
  ];
};
