import {
  defineRoute,
  Joi,
  type PageOptions,
  Problem,
  reply,
  type Route,
  type RouteContext,
  webPage,
} from '@mortise/plugin-sdk';
import { preferredLanguage } from '@mortise/accounts/api';
import { ActivateForm, ResendForm } from '../pages/activation.js';
import { t } from '../texts/index.js';
import type { CodeField } from './recovery.js';
import { open, type SignInDeps, textField } from './sign-in.js';

export interface ActivateFields extends CodeField {
  readonly password: string;
}
export interface ResendFields {
  readonly user_name: string;
  readonly password: string;
}

type Flash = PageOptions['flash'];
interface Answer {
  readonly flash?: Flash;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The link in the mail that activates an account: with its password, so that a mail that went astray opens nothing. */
export const activationPages = ({ accounts, activation, signInFlow, site }: SignInDeps): readonly Route[] => {
  if (!activation.isOffered) return [];
  const path = (to: string) => site.path(to);
  const page = ({ csrf }: RouteContext, body: { code: string; name: string | undefined }, answer: Answer = {}) =>
    webPage({
      title: t.later('activate.title'),
      width: 'narrow',
      ...answer,
      status: answer.status ?? (body.name === undefined ? 410 : 200),
      body: <ActivateForm csrf={csrf} path={path} {...body} />,
    });
  const resendPage = ({ csrf }: RouteContext, name = '', answer: Answer = {}) =>
    webPage({
      title: t.later('activate.title'),
      width: 'narrow',
      ...answer,
      body: <ResendForm csrf={csrf} path={path} name={name} />,
    });
  const failure = (error: unknown): Answer => {
    if (!Problem.is(error)) throw error;
    return { flash: { kind: 'error', text: error.text }, status: error.status, headers: error.headers };
  };
  const wrong: Answer = { flash: { kind: 'error', text: t.later('error.credentials') }, status: 401 };

  return [
    defineRoute({
      method: 'GET',
      path: '/user/activate',
      access: open,
      request: { query: Joi.object<CodeField>({ code: textField }).unknown() as Joi.ObjectSchema<CodeField> },
      async handler(context) {
        const { code } = context.query;
        if (!code) return context.actor.kind === 'user' ? reply.redirect(path('/')) : resendPage(context);
        return page(context, { code, name: (await activation.find(code))?.name });
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/user/activate',
      access: open,
      payload: { as: 'form' },
      request: { payload: Joi.object<ActivateFields>({ code: textField, password: textField }) },
      async handler(context) {
        const { code, password } = context.payload;
        const account = await activation.find(code);
        if (!account) return page(context, { code, name: undefined });
        try {
          const found = await accounts.checkPassword(account.name, password, context.remoteAddress);
          if (found?.id !== account.id) {
            const flash: Flash = { kind: 'error', text: t.later('error.password') };
            return page(context, { code, name: account.name }, { flash, status: 401 });
          }
          const active = await activation.activate(account);
          return await signInFlow.begin(context, { account: active, remember: false, redirectTo: '', by: 'password' });
        } catch (error) {
          return page(context, { code, name: account.name }, failure(error));
        }
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/user/activate/resend',
      access: open,
      payload: { as: 'form' },
      request: { payload: Joi.object<ResendFields>({ user_name: textField, password: textField }) },
      async handler(context) {
        const { user_name: name, password } = context.payload;
        try {
          const account = await accounts.checkPassword(name, password, context.remoteAddress);
          if (!account || !(await activation.isAwaited(account))) return resendPage(context, name, wrong);
          if (!(await activation.sendAgain(account, context.remoteAddress, preferredLanguage(context))))
            throw new Problem('too_many', t.later('error.mailMany'));
          return resendPage(context, name, {
            flash: { kind: 'success', text: t.later('activate.sent', { email: account.email }) },
          });
        } catch (error) {
          return resendPage(context, name, failure(error));
        }
      },
    }),
  ];
};
