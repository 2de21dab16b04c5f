import { FormFrame, textOf, type Text } from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import { t } from '../texts/index.js';

interface FailedProps {
  readonly text: Text;
  readonly href: string;
  /** The link leads to the sign-in page, not to the settings. */
  readonly isSignIn: boolean;
}

/** Why somebody who comes from a provider is not signed in. */
export const FailedPage = ({ text, href, isSignIn }: FailedProps): VNode => (
  <FormFrame title={t('failed.title')}>
    <p class="wb-break-word">{textOf(text)}</p>
    <a class="btn btn-block" href={href}>
      {t(isSignIn ? 'failed.back' : 'failed.backToSettings')}
    </a>
  </FormFrame>
);
