import { FormFrame, textOf, webPage, type Site, type Text, type WebPage } from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import { t } from '../texts/index.js';

/** Why somebody who comes from a provider is not signed in. */
const FailedPage = ({ text, href }: { text: Text; href: string }): VNode => (
  <FormFrame title={t('failed.title')}>
    <p class="wb-break-word">{textOf(text)}</p>
    <a class="btn btn-block" href={href}>
      {t('failed.back')}
    </a>
  </FormFrame>
);

export const failedPage = (site: Site, text: Text, status: number): WebPage =>
  webPage({
    title: t.later('failed.title'),
    width: 'narrow',
    status,
    headers: { 'cache-control': 'no-store' },
    body: <FailedPage text={text} href={site.path('/user/login')} />,
  });
