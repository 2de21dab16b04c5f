import {
  bold,
  Csrf,
  FormFrame,
  Joi,
  pageRoute,
  postRoute,
  reply,
  webPage,
  type Route,
  type RouteContext,
  type Site,
} from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import { t } from '../texts/index.js';
import type { Emails } from '../api.js';
import type { EmailConfirmation } from '../services/confirmation.js';

interface ConfirmEmailProps {
  /** Undefined: the code is worth nothing. */
  readonly email: string | undefined;
  readonly code: string;
  readonly path: (path: string) => string;
}

const ConfirmEmail = ({ email, code, path }: ConfirmEmailProps): VNode => (
  <FormFrame title={t('confirm.title')}>
    {email === undefined ? (
      <>
        <p>{t('confirm.void')}</p>
        <a class="btn btn-block" href={path('/user/settings/account')}>
          {t('confirm.settings')}
        </a>
      </>
    ) : (
      <form method="post" action={path('/user/activate_email')}>
        <Csrf />
        <input type="hidden" name="code" value={code} />
        <p class="wb-break-word">{t.rich('confirm.text', { email, b: bold })}</p>
        <button class="btn btn-primary btn-block" type="submit">
          {t('confirm.submit')}
        </button>
      </form>
    )}
  </FormFrame>
);

interface Services {
  readonly emails: Emails;
  readonly emailConfirmation: EmailConfirmation;
  readonly site: Site;
}

interface CodeFields {
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
    const confirmation = await emailConfirmation.find(code);
    return confirmation?.userId === actor.id ? confirmation : undefined;
  };
  const page = (code: string, email: string | undefined) =>
    webPage({
      title: t.later('confirm.title'),
      width: 'narrow',
      status: email === undefined ? 410 : 200,
      body: <ConfirmEmail email={email} code={code} path={(to) => site.path(to)} />,
    });
  return [
    pageRoute(
      path,
      access,
      async (context) => {
        const { code } = context.query;
        return page(code, (await own(context, code))?.email);
      },
      { query: codeFields.unknown() as typeof codeFields },
    ),
    postRoute(
      path,
      access,
      async (context) => {
        const { code } = context.payload;
        const confirmation = await own(context, code);
        if (!confirmation) return page(code, undefined);
        await emails.confirm(confirmation.userId, confirmation.email);
        return reply.redirect(site.path('/user/settings/account?confirmed'), 303);
      },
      { payload: codeFields },
    ),
  ];
};
