import type { VNode } from 'preact';
import { formatList, formatSize, Section } from '@mortise/plugin-sdk';
import type { StoredSubject } from '@mortise/accounts/api';
import type { Rule } from '../services/groups.js';
import type { Quota } from '../services/quota-limit.js';
import type { Usage } from '../services/usage.js';
import { subjectLabel } from './subject-label.js';
import { t } from '../texts/index.js';

const kinds: readonly StoredSubject[] = [
  'size:repos:public',
  'size:repos:private',
  'size:git:lfs',
  'size:wiki',
  'size:assets:attachments:issues',
  'size:assets:attachments:releases',
  'size:assets:artifacts',
  'size:assets:packages:all',
];

/** From this share on a bar warns. */
const highShare = 0.9;

interface BarProps {
  readonly used: number;
  /** Bytes; -1: any number. */
  readonly limit: number;
}

/** The numbers, and how full it is as a bar. */
const UsageBar = ({ used, limit }: BarProps): VNode => {
  if (limit < 0) return <p class="mb-0">{t('usage.unlimited', { used: formatSize(used) })}</p>;
  const share = limit === 0 ? 1 : Math.min(1, used / limit);
  return (
    <>
      <p class="mb-1">
        {t('usage.of', { used: formatSize(used), limit: formatSize(limit) })}{' '}
        {used >= limit ? <span class="Label Label--danger">{t('usage.full')}</span> : null}
      </p>
      <span class="Progress" aria-hidden="true">
        <span
          class={`Progress-item ${share >= highShare ? 'color-bg-danger-emphasis' : 'color-bg-success-emphasis'}`}
          style={{ width: `${Math.round(share * 100)}%` }}
        />
      </span>
    </>
  );
};

const RuleUsage = ({ rule, usage }: { readonly rule: Rule; readonly usage: Usage }): VNode => (
  <li class="Box-row">
    <h3 class="f5">{formatList(rule.subjects.map(subjectLabel))}</h3>
    <UsageBar used={usage.sum(rule.subjects)} limit={rule.limit} />
  </li>
);

/** What an owner stores, and what the limits are. */
export const StorageUsage = ({ quota: { usage, groups } }: { readonly quota: Quota }): VNode => {
  const limiting = groups.filter(({ rules }) => rules.length > 0);
  return (
    <>
      <Section title={t('usage.title')}>
        <p class="color-fg-muted">{t('usage.note')}</p>
        {limiting.length > 1 ? <p>{t('usage.any')}</p> : null}
        {limiting.length === 0 ? <p>{t('usage.none')}</p> : null}
        {limiting.map((group) => (
          <ul key={group.name} class="Box list-style-none mb-3">
            {group.rules.map((rule) => (
              <RuleUsage key={rule.name} rule={rule} usage={usage} />
            ))}
          </ul>
        ))}
      </Section>
      <Section title={t('usage.kinds')}>
        <ul class="Box list-style-none">
          {kinds.map((kind) => (
            <li key={kind} class="Box-row d-flex flex-justify-between gap-2">
              <span>{subjectLabel(kind)}</span>
              <span class="no-wrap">{formatSize(usage.of(kind))}</span>
            </li>
          ))}
        </ul>
      </Section>
    </>
  );
};
