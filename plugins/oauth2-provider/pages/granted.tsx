import { Ago, Blankslate, PostButton, Section } from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import type { OfferedCategory } from '@mortise/auth-token/api';
import type { Granted } from '../services/grants.js';
import { t } from '../texts/index.js';
import { ScopeList } from './consent.js';

interface GrantedListProps {
  readonly granted: readonly Granted[];
  readonly categories: readonly OfferedCategory[];
  /** Where a grant is revoked. */
  readonly action: string;
}

/** Applications that act for the account. */
export const GrantedList = ({ granted, categories, action }: GrantedListProps): VNode => (
  <Section title={t('granted.title')}>
    <p class="color-fg-muted">{t('granted.note')}</p>
    {granted.length === 0 ? (
      <Blankslate level={3} title={t('granted.none')} icon="shield-lock" />
    ) : (
      <ul class="Box list-style-none">
        {granted.map(({ grant, application }) => (
          <li class="Box-row d-flex flex-items-start gap-2" key={grant.id}>
            <div class="flex-auto min-width-0">
              <strong>{application.name}</strong>
              <details class="f6 my-1">
                <summary>{t('granted.permissions')}</summary>
                <ScopeList scope={grant.scope} categories={categories} />
              </details>
              <div class="f6 color-fg-muted">
                {t.rich('granted.since', { when: () => <Ago time={Number(grant.created_at)} /> })}
              </div>
            </div>
            <PostButton
              action={action}
              fields={{ id: grant.id }}
              label={t('granted.revokeOf', { name: application.name })}
              confirm={t('granted.confirm', { name: application.name })}
              danger
            >
              {t('granted.revoke')}
            </PostButton>
          </li>
        ))}
      </ul>
    )}
  </Section>
);
