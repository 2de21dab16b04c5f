import { icon, textOf, type Site, type SiteFeature, type Text } from '@mortise/plugin-sdk';
import type { ComponentChildren } from 'preact';
import { t } from '../texts/index.js';
import { SubmittedTexts, type SubmittedText } from './submitted-texts.js';
import { Logo } from './logo.js';
import type { SiteBranding } from './site-branding.js';

const titled = [400, 401, 403, 404, 405, 409, 413, 422, 429, 500, 503] as const;

function titleOf(status: number): string {
  const known = titled.find((one) => one === status);
  return known ? t(`error.title${known}`) : t('error.title', { status });
}

export interface ErrorDetails {
  /** What the form held that was not taken. */
  readonly submitted?: readonly SubmittedText[];
  /** Default: what is usual for the status. */
  readonly title?: Text;
  /** Address of the sign-in page, where that is the way on. */
  readonly signIn?: string;
}

/** Why a page could not be shown, and a way on. */
export function ErrorView({
  site,
  status,
  message,
  requestId,
  submitted = [],
  title,
  signIn,
}: {
  site: Site;
  status: number;
  message: Text;
  requestId: string;
} & ErrorDetails) {
  return (
    <div class="error-page">
      <p class="error-status" aria-hidden="true">
        {status}
      </p>
      <h1>{title === undefined ? titleOf(status) : textOf(title)}</h1>
      <p class="error-reason f4 color-fg-muted">{textOf(message)}</p>
      {status >= 500 ? (
        <p class="color-fg-muted">{t.rich('error.requestId', { id: <code>{requestId}</code> })}</p>
      ) : null}
      {submitted.length > 0 ? <SubmittedTexts texts={submitted} /> : null}
      <p>
        {signIn ? (
          <a class="btn btn-primary" href={signIn}>
            {icon('sign-in')} {t('shell.signIn')}
          </a>
        ) : (
          <a class="btn btn-primary" href={site.path('/')}>
            {icon('home')} {t('shell.home')}
          </a>
        )}
      </p>
    </div>
  );
}

function Feature({ symbol, title, children }: { symbol: string; title: string; children: ComponentChildren }) {
  return (
    <section class="feature">
      <h2>
        {icon(symbol)} {title}
      </h2>
      <p>{children}</p>
    </section>
  );
}

/** What a visitor sees at `/` when no plugin has something better. */
export function Landing({
  site,
  look,
  signedIn,
  hasSignIn,
  hasViewer,
  steps,
  features,
}: {
  site: Site;
  look: SiteBranding;
  signedIn: boolean;
  hasSignIn: boolean;
  hasViewer: boolean;
  /** Come before signing in. */
  steps: readonly ComponentChildren[];
  features: readonly SiteFeature[];
}) {
  return (
    <>
      <div class="hero">
        <Logo size={88} look={look} />
        <h1>{site.name}</h1>
        <p>{t('landing.lead')}</p>
        {steps}
        <div class="hero-actions">
          {!signedIn && hasSignIn && steps.length === 0 ? (
            <a class="btn btn-primary btn-large" href={site.path('/user/login')}>
              {icon('sign-in')} {t('shell.signIn')}
            </a>
          ) : null}
          {hasViewer ? (
            <a class="btn btn-large" href={site.path('/api/swagger')}>
              {icon('book')} {t('landing.browseApi')}
            </a>
          ) : null}
        </div>
      </div>
      <div class="feature-grid">
        {features.map(({ key, icon: symbol, title, text }) => (
          <Feature key={key} symbol={symbol} title={textOf(title)}>
            {textOf(text)}
          </Feature>
        ))}
        <Feature symbol="plug" title={t('landing.plugins')}>
          {t('landing.pluginsText')}
        </Feature>
      </div>
    </>
  );
}
