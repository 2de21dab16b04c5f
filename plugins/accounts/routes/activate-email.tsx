import { defineRoute, Joi, reply, webPage, type Route, type RouteContext, type Site } from '@mortise/plugin-sdk';
import type { Emails } from '../api.js';
import { ConfirmEmail } from '../pages/confirm-email.js';
import type { EmailConfirmation } from '../services/confirmation.js';
import { t } from '../texts/index.js';

interface Services {
  readonly emails: Emails;
  readonly emailConfirmation: EmailConfirmation;
  readonly site: Site;
}

export interface CodeFields {
  readonly code: string;
}

const codeFields = Joi.object<CodeFields>({ code: Joi.string().allow('').max(200).default('') });

/**
 * The link in the mail that confirms an address. Programs that look through mails open links, so it only asks; and only
 * the account that added the address can answer, for else somebody could be led to give their address to another's.
 */
export const activateEmailRoutes = ({ emails, emailConfirmation, site }: Services): readonly Route[] => {
  const path = '/user/activate_email';
  const access = { actor: 'user' } as const;
  const own = async ({ actor }: Pick<RouteContext, 'actor'>, code: string) => {
    const found = await emailConfirmation.find(code);
    return found?.userId === actor.id ? found : undefined;
  };
  const page = ({ csrf }: RouteContext, code: string, email: string | undefined) =>
    webPage({
      title: t.later('confirm.title'),
      width: 'narrow',
      status: email === undefined ? 410 : 200,
      body: <ConfirmEmail email={email} code={code} csrf={csrf} path={(to) => site.path(to)} />,
    });
  return [
    defineRoute({
      method: 'GET',
      path,
      access,
      request: { query: codeFields.unknown() as typeof codeFields },
      handler: async (context) => {
        const { code } = context.query;
        return page(context, code, (await own(context, code))?.email);
      },
    }),
    defineRoute({
      method: 'POST',
      path,
      access,
      payload: { as: 'form' },
      request: { payload: codeFields },
      async handler(context) {
        const { code } = context.payload;
        const found = await own(context, code);
        if (!found) return page(context, code, undefined);
        await emails.confirm(found.userId, found.email);
        return reply.redirect(site.path('/user/settings/account?confirmed'), 303);
      },
    }),
  ];
};
