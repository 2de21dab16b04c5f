import { bold, Csrf, FormFrame, icon, textOf } from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import type { OfferedCategory } from '@mortise/auth-token/api';
import type { OAuth2Application } from '../contract/oauth2-provider.js';
import type { AuthorizationFields } from '../services/authorization.js';
import { identityWords } from '../services/scope.js';
import { t } from '../texts/index.js';

export interface ScopeProps {
  readonly scope: readonly string[];
  readonly categories: readonly OfferedCategory[];
}

const levels = { read: 'level.read', write: 'level.write', delete: 'level.delete' } as const;

/** One line for each thing that a scope allows. */
function* linesOf({ scope, categories }: ScopeProps): Iterable<string> {
  if (scope.includes('all')) yield t('scope.all');
  for (const word of identityWords) if (scope.includes(word)) yield t(`scope.${word}`);
  for (const { key, label } of categories)
    for (const [level, text] of Object.entries(levels))
      if (scope.includes(`${level}:${key}`))
        yield t('scope.category', { category: () => textOf(label), level: () => t(text) });
  if (scope.includes('public-only')) yield t('scope.publicOnly');
}

/** What an application may do, in words. */
export const ScopeList = (props: ScopeProps): VNode => (
  <ul class="list-style-none">
    {[...linesOf(props)].map((line) => (
      <li class="py-1 d-flex" key={line}>
        <span class="mr-2 color-fg-muted">{icon('check')}</span>
        <span>{line}</span>
      </li>
    ))}
  </ul>
);

export interface ConsentProps extends ScopeProps {
  readonly application: OAuth2Application;
  /** Name of the account that the application belongs to. */
  readonly owner: string | undefined;
  readonly redirectUri: string;
  readonly userName: string;
  readonly fields: AuthorizationFields;
  readonly csrf: string;
  readonly path: (path: string) => string;
}

/** Asks whether an application may act for the person. */
export function ConsentPage(props: ConsentProps): VNode {
  const { application, owner, redirectUri, userName, fields, csrf, path } = props;
  return (
    <div class="mx-auto py-5 px-3 narrow-form">
      <h1 class="h3 text-center text-normal mb-3">{t.rich('consent.heading', { name: application.name, b: bold })}</h1>
      <div class="Box">
        <div class="Box-body">
          <p>{t.rich('consent.asks', { name: application.name, person: userName, b: bold })}</p>
          <ScopeList {...props} />
        </div>
        <div class="Box-row color-fg-muted f6">
          <p class="mb-1">
            {owner === undefined
              ? t('consent.ofSite')
              : t.rich('consent.madeBy', { link: () => <a href={path(`/${owner}`)}>{owner}</a> })}
          </p>
          <p class="mb-0 overflow-wrap-anywhere">
            {t.rich('consent.leadsTo', { address: () => <code>{redirectUri}</code> })}
          </p>
        </div>
        <form class="Box-footer d-flex flex-justify-end gap-2" method="post" action={path('/login/oauth/grant')}>
          <Csrf token={csrf} />
          {Object.entries(fields).map(([name, value]) =>
            value ? <input type="hidden" name={name} value={value} key={name} /> : null,
          )}
          <button class="btn" type="submit" name="granted" value="false">
            {t('consent.deny')}
          </button>
          <button class="btn btn-primary" type="submit" name="granted" value="true">
            {t('consent.authorize')}
          </button>
        </form>
      </div>
    </div>
  );
}

/** For browsers that do not go on by themselves. */
export const LeadOnPage = ({ name, address }: { readonly name: string; readonly address: string }): VNode => (
  <div class="mx-auto py-5 px-3 narrow-form text-center">
    <h1 class="h3 text-normal mb-3">{t('leadOn.title')}</h1>
    <p>
      <a href={address}>{t('leadOn.link', { name })}</a>
    </p>
  </div>
);

/** A request that its application must mend; the link tells it so. */
export const InvalidPage = (props: {
  readonly name: string;
  readonly reason: string;
  readonly address: string;
}): VNode => (
  <FormFrame title={t('invalid.title')}>
    <p class="wb-break-word">{t.rich('invalid.text', { name: props.name, reason: props.reason, b: bold })}</p>
    <p class="color-fg-muted f6 overflow-wrap-anywhere">
      {t.rich('consent.leadsTo', { address: () => <code>{new URL(props.address).origin}</code> })}
    </p>
    <a class="btn btn-block" href={props.address} rel="noreferrer">
      {t('invalid.back', { name: props.name })}
    </a>
  </FormFrame>
);
