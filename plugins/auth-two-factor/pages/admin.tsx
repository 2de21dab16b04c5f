import { Csrf, Section } from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import { t } from '../texts/index.js';

/** On the page of an account in the administration. */
export const AdminFactors = ({
  name,
  has,
  action,
  csrf,
}: {
  name: string;
  has: boolean;
  action: string;
  csrf: string;
}): VNode => (
  <Section title={t('totp.title')}>
    <p>{has ? t('admin.has') : t('admin.hasNot')}</p>
    {has ? (
      <details class="confirm confirm-start">
        <summary class="btn btn-danger">{t('admin.reset')}</summary>
        <form class="confirm-body" method="post" action={action}>
          <Csrf token={csrf} />
          <p>{t('admin.resetNote', { name })}</p>
          <button class="btn btn-sm btn-danger" type="submit">
            {t('admin.reset')}
          </button>
        </form>
      </details>
    ) : null}
  </Section>
);
