import { defineRoute, Joi, type Route, type RouteContext, type Site, webPage } from '@mortise/plugin-sdk';
import { ActivatePage } from '../pages/activate.js';
import type { OAuth2Activation } from '../services/activation.js';
import { t } from '../texts/index.js';
import { anyoneAccess, textField } from './active-sources.js';

interface CodeField {
  readonly code: string;
}

/** The link in the mail that activates a new account. */
export const activatePages = ({
  activation,
  site,
}: {
  readonly activation: OAuth2Activation;
  readonly site: Site;
}): readonly Route[] => {
  const page = ({ csrf }: RouteContext, code: string, name: string | undefined, isDone = false) =>
    webPage({
      title: t.later('activate.title'),
      width: 'narrow',
      status: name === undefined ? 410 : 200,
      body: <ActivatePage csrf={csrf} code={code} name={name} isDone={isDone} path={(to) => site.path(to)} />,
    });
  return [
    defineRoute({
      method: 'GET',
      path: '/user/oauth2_activate',
      access: anyoneAccess,
      request: { query: Joi.object<CodeField>({ code: textField }).unknown() as Joi.ObjectSchema<CodeField> },
      handler: async (context) => {
        const { code } = context.query;
        return page(context, code, (await activation.find(code))?.name);
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/user/oauth2_activate',
      access: anyoneAccess,
      payload: { as: 'form' },
      request: { payload: Joi.object<CodeField>({ code: textField }) },
      handler: async (context) => {
        const { code } = context.payload;
        const account = await activation.find(code);
        if (account) await activation.activate(account);
        return page(context, code, account?.name, account !== undefined);
      },
    }),
  ];
};
