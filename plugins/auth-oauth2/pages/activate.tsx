import { bold, Csrf, FormFrame } from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import { t } from '../texts/index.js';

interface Props {
  readonly code: string;
  /** Undefined: the code is worth nothing. */
  readonly name: string | undefined;
  readonly isDone: boolean;
  readonly csrf: string;
  readonly path: (path: string) => string;
}

const SignInLink = ({ path }: Pick<Props, 'path'>): VNode => (
  <a class="btn btn-block" href={path('/user/login')}>
    {t('failed.back')}
  </a>
);

/** What the link in the mail leads to. */
export const ActivatePage = ({ code, name, isDone, csrf, path }: Props): VNode => (
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
        <Csrf token={csrf} />
        <input type="hidden" name="code" value={code} />
        <p class="wb-break-word">{t.rich('activate.text', { name, b: bold })}</p>
        <button class="btn btn-primary btn-block" type="submit">
          {t('activate.submit')}
        </button>
      </form>
    )}
  </FormFrame>
);
