import { textOf, type Text } from '@mortise/plugin-sdk';
import type { ComponentChildren, VNode } from 'preact';
import { t } from '../texts/index.js';

/** A form that is a page by itself. */
export const Frame = ({ title, children }: { title: string; children: ComponentChildren }): VNode => (
  <div class="mx-auto py-5 px-3 narrow-form">
    <h1 class="h3 text-center text-normal mb-3">{title}</h1>
    {children}
  </div>
);

interface FailedProps {
  readonly text: Text;
  readonly href: string;
  /** The link leads to the sign-in page, not to the settings. */
  readonly isSignIn: boolean;
}

/** Why somebody who comes from a provider is not signed in. */
export const FailedPage = ({ text, href, isSignIn }: FailedProps): VNode => (
  <Frame title={t('failed.title')}>
    <div class="Box color-bg-subtle">
      <div class="Box-body">
        <p class="wb-break-word">{textOf(text)}</p>
        <a class="btn btn-block" href={href}>
          {t(isSignIn ? 'failed.back' : 'failed.backToSettings')}
        </a>
      </div>
    </div>
  </Frame>
);
