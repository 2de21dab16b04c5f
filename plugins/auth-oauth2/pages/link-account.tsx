import { bold, Csrf, TextField } from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import { t } from '../texts/index.js';

export interface LinkAccountProps {
  /** Name of the source. */
  readonly source: string;
  /** What the provider calls them; may be empty. */
  readonly userName: string;
  readonly signIn: { readonly name: string; readonly captcha: VNode | undefined } | undefined;
  readonly signUp: { readonly name: string; readonly email: string; readonly captcha: VNode | undefined } | undefined;
  readonly csrf: string;
  readonly path: (path: string) => string;
}

const Card = ({ title, children }: { title: string; children: VNode }): VNode => (
  <section class="Box color-bg-subtle mb-3">
    <div class="Box-body">
      <h2 class="h4 mb-2">{title}</h2>
      {children}
    </div>
  </section>
);

const SignInCard = ({
  name,
  captcha,
  csrf,
  path,
}: {
  name: string;
  captcha: VNode | undefined;
  csrf: string;
  path: LinkAccountProps['path'];
}): VNode => (
  <Card title={t('link.existing')}>
    <form method="post" action={path('/user/link_account_signin')}>
      <Csrf token={csrf} />
      <p>{t('link.existingText')}</p>
      <TextField
        name="user_name"
        id="field-link-name"
        required
        autocapitalize="none"
        label={t('link.name')}
        value={name}
        autocomplete="username"
      />
      <TextField
        name="password"
        id="field-link-password"
        required
        type="password"
        label={t('link.password')}
        autocomplete="current-password"
      />
      {captcha}
      <button class="btn btn-primary btn-block" type="submit">
        {t('link.submit')}
      </button>
    </form>
  </Card>
);

const SignUpCard = ({
  name,
  email,
  captcha,
  csrf,
  path,
}: {
  name: string;
  email: string;
  captcha: VNode | undefined;
  csrf: string;
  path: LinkAccountProps['path'];
}): VNode => (
  <Card title={t('link.new')}>
    <form method="post" action={path('/user/link_account_signup')}>
      <Csrf token={csrf} />
      <TextField
        name="user_name"
        id="field-new-name"
        input="name"
        required
        autocapitalize="none"
        label={t('link.newName')}
        value={name}
        autocomplete="username"
        maxLength={40}
      />
      <TextField
        name="email"
        id="field-new-email"
        type="email"
        required
        autocapitalize="none"
        label={t('link.email')}
        value={email}
        autocomplete="email"
        maxLength={254}
      />
      {captcha}
      <button class="btn btn-primary btn-block" type="submit">
        {t('link.create')}
      </button>
    </form>
  </Card>
);

/** Somebody has come from a provider: which account is theirs? */
export const LinkAccountPage = ({ source, userName, signIn, signUp, csrf, path }: LinkAccountProps): VNode => (
  <div class="mx-auto py-5 px-3 narrow-form">
    <h1 class="h3 text-center text-normal mb-3">{t('link.title')}</h1>
    <p class="wb-break-word">
      {userName
        ? t.rich('link.text', { source, person: userName, b: bold })
        : t.rich('link.textNameless', { source, b: bold })}
    </p>
    {signUp ? <SignUpCard {...signUp} csrf={csrf} path={path} /> : null}
    {signIn ? <SignInCard {...signIn} csrf={csrf} path={path} /> : null}
    {signIn || signUp ? null : <p>{t('link.noWay')}</p>}
  </div>
);
