import { bold, Csrf, FormFrame, Joi, pageRoute, postRoute, webPage, type Route, type Site } from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import { t } from '../texts/index.js';
import type { OAuth2Activation } from '../services/activation.js';
import { anyoneAccess, textField } from '../routes/active-sources.js';

interface Props {
  readonly code: string;
  /** Undefined: the code is worth nothing. */
  readonly name: string | undefined;
  readonly isDone: boolean;
  readonly path: (path: string) => string;
}

const SignInLink = ({ path }: Pick<Props, 'path'>): VNode => (
  <a class="btn btn-block" href={path('/user/login')}>
    {t('failed.back')}
  </a>
);

/** What the link in the mail leads to. */
const ActivatePage = ({ code, name, isDone, path }: Props): VNode => (
  <FormFrame title={t('activate.title')}>
    {name === undefined ? (
      <>
        <p>{t('activate.void')}</p>
        <SignInLink path={path} />
      </>
    ) : isDone ? (
      <>
        <p>{t('activate.done')}</p>
        <SignInLink path={path} />
      </>
    ) : (
      <form method="post" action={path('/user/oauth2_activate')}>
        <Csrf />
        <input type="hidden" name="code" value={code} />
        <p class="wb-break-word">{t.rich('activate.text', { name, b: bold })}</p>
        <button class="btn btn-primary btn-block" type="submit">
          {t('activate.submit')}
        </button>
      </form>
    )}
  </FormFrame>
);

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
  const page = (code: string, name: string | undefined, isDone = false) =>
    webPage({
      title: t.later('activate.title'),
      width: 'narrow',
      status: name === undefined ? 410 : 200,
      body: <ActivatePage code={code} name={name} isDone={isDone} path={(to) => site.path(to)} />,
    });
  return [
    pageRoute(
      '/user/oauth2_activate',
      anyoneAccess,
      async (context) => {
        const { code } = context.query;
        return page(code, (await activation.find(code))?.name);
      },
      { query: Joi.object<CodeField>({ code: textField }).unknown() as Joi.ObjectSchema<CodeField> },
    ),
    postRoute(
      '/user/oauth2_activate',
      anyoneAccess,
      async (context) => {
        const { code } = context.payload;
        const account = await activation.find(code);
        if (account) await activation.activate(account);
        return page(code, account?.name, account !== undefined);
      },
      { payload: Joi.object<CodeField>({ code: textField }) },
    ),
  ];
};
