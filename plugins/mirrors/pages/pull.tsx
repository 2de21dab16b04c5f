import type { VNode } from 'preact';
import {
  CheckField,
  Csrf,
  icon,
  isChecked,
  PostButton,
  Section,
  TextField,
  formText,
  type FormValues,
} from '@mortise/plugin-sdk';
import { formatInterval } from '@mortise/repositories/api';
import type { PullMirrorRow } from '../models/pull-mirror.js';
import { Schedule, Status } from './status.js';
import { t } from '../texts/index.js';

interface PullSectionProps {
  readonly row: PullMirrorRow;
  /** Path of the page. */
  readonly base: string;
  readonly csrf: string;
  /** The form that was refused. */
  readonly sent?: FormValues;
  readonly minInterval: string;
}

/** Where the repository comes from, when it was last asked, and the settings for it. */
export function PullSection({ row, base, csrf, sent, minInterval }: PullSectionProps): VNode {
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
          <PostButton action={`${base}/sync`} csrf={csrf}>
            {t('pull.sync')}
          </PostButton>
        </div>
      </div>
      <PullForm row={row} base={base} csrf={csrf} sent={sent} minInterval={minInterval} />
      <PostButton
        action={`${base}/convert`}
        csrf={csrf}
        danger
        confirm={t('pull.convertAbout')}
        label={t('pull.convert')}
      >
        {t('pull.convert')}
      </PostButton>
    </Section>
  );
}

function PullForm({ row, base, csrf, sent, minInterval }: PullSectionProps): VNode {
  const text = (name: string, stored: string) => (sent ? formText(sent, name) : stored);
  const ticked = (name: string, stored: boolean) => (sent ? isChecked(sent, name) : stored);
  return (
    <form method="post" action={base} class="mb-4">
      <Csrf token={csrf} />
      <TextField
        name="address"
        label={t('field.address')}
        required
        maxLength={2048}
        value={text('address', row.remote_url)}
      />
      <TextField
        name="username"
        label={t('field.username')}
        maxLength={255}
        value={text('username', '')}
        autocapitalize="none"
      />
      <TextField
        name="password"
        label={t('field.password')}
        type="password"
        maxLength={4096}
        autocomplete="new-password"
        note={t('field.passwordKept')}
      />
      <TextField
        name="interval"
        label={t('field.interval')}
        short
        maxLength={30}
        value={text('interval', formatInterval(Number(row.interval)))}
        note={t('field.intervalNote', { min: minInterval })}
      />
      <TextField
        name="branches"
        label={t('field.branches')}
        maxLength={1000}
        value={text('branches', row.branches)}
        note={t('field.branchesNote')}
      />
      <CheckField name="prune" value="on" label={t('field.prune')} checked={ticked('prune', row.prune)} />
      <CheckField name="wiki" value="on" label={t('field.wiki')} checked={ticked('wiki', row.wiki)} />
      <CheckField name="lfs" value="on" label={t('field.lfs')} checked={ticked('lfs', row.lfs)} />
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
