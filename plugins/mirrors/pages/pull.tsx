import type { VNode } from 'preact';
import { Csrf, icon, PostButton, Section, type FormValues } from '@mortise/plugin-sdk';
import type { PullMirrorRow } from '../models/pull-mirror.js';
import { PullOptionFields, RemoteFields, ScheduleFields } from './mirror-fields.js';
import { Schedule, Status } from './status.js';
import { shortInterval } from '../services/interval.js';
import { t } from '../texts/index.js';

interface PullSectionProps {
  readonly row: PullMirrorRow;
  /** Path of the page. */
  readonly base: string;
  /** The form that was refused. */
  readonly sent?: FormValues;
  readonly minInterval: string;
}

/** Where the repository comes from, when it was last asked, and the settings for it. */
export function PullSection({ row, base, sent, minInterval }: PullSectionProps): VNode {
  return (
    <Section title={t('pull.title')}>
      <p class="color-fg-muted">{t('pull.about')}</p>
      <div class="Box mb-4">
        <div class="Box-row d-flex flex-wrap flex-items-center gap-2">
          {icon('mirror')}
          <div class="list-main">
            <strong class="wb-break-all">{row.remote_url}</strong>
            <Schedule row={row} />
            <Status row={row} />
          </div>
          <PostButton action={`${base}/sync`}>{t('pull.sync')}</PostButton>
        </div>
      </div>
      <PullForm row={row} base={base} sent={sent} minInterval={minInterval} />
      <PostButton action={`${base}/convert`} danger confirm={t('pull.convertAbout')} label={t('pull.convert')}>
        {t('pull.convert')}
      </PostButton>
    </Section>
  );
}

function PullForm({ row, base, sent, minInterval }: PullSectionProps): VNode {
  return (
    <form method="post" action={base} class="mb-4">
      <Csrf />
      <RemoteFields sent={sent} address={row.remote_url} passwordNote={t('field.passwordKept')} />
      <ScheduleFields
        sent={sent}
        interval={shortInterval(Number(row.interval))}
        branches={row.branches}
        minInterval={minInterval}
      />
      <PullOptionFields sent={sent} options={row} />
      <button class="btn btn-primary mt-2" type="submit">
        {t('field.save')}
      </button>
    </form>
  );
}

export const NoPullMirror = (): VNode => (
  <Section title={t('pull.title')}>
    <p class="color-fg-muted">{t('pull.none')}</p>
  </Section>
);
