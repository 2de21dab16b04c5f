import type { VNode } from 'preact';
import {
  Blankslate,
  CheckField,
  CopyBlock,
  Csrf,
  icon,
  isChecked,
  PostButton,
  Section,
  type FormValues,
} from '@mortise/plugin-sdk';
import type { PushMirrorRow } from '../models/push-mirror.js';
import { RemoteFields, ScheduleFields } from './mirror-fields.js';
import { Schedule, Status } from './status.js';
import { t } from '../texts/index.js';

interface PushSectionProps {
  readonly rows: readonly PushMirrorRow[];
  readonly base: string;
  readonly sent?: FormValues;
  readonly minInterval: string;
  readonly defaultInterval: string;
  readonly mayAdd: boolean;
}

/** Where the repository is sent to. */
export function PushSection(props: PushSectionProps): VNode {
  const { rows, base } = props;
  return (
    <>
      <Section title={t('push.title')}>
        <p class="color-fg-muted">{t('push.about')}</p>
        <ul class="Box list-style-none mb-4">
          {rows.length === 0 ? (
            <li>
              <Blankslate title={t('push.none')} icon="mirror" level={3} plain />
            </li>
          ) : null}
          {rows.map((row) => (
            <PushMirror key={row.id} row={row} base={base} />
          ))}
        </ul>
      </Section>
      {props.mayAdd ? (
        <Section title={t('push.add')}>
          <PushForm {...props} />
        </Section>
      ) : null}
    </>
  );
}

function PushMirror({ row, base }: { row: PushMirrorRow; base: string }): VNode {
  const address = row.remote_url;
  return (
    <li class="Box-row">
      <div class="d-flex flex-wrap flex-items-center gap-2">
        {icon('mirror')}
        <div class="list-main">
          <strong class="wb-break-all">{address}</strong>
          <Schedule row={row} />
          <Status row={row} />
        </div>
        <PostButton action={`${base}/push/${row.name}/sync`} label={t('push.syncName', { address })}>
          {t('pull.sync')}
        </PostButton>
        <PostButton
          action={`${base}/push/${row.name}/delete`}
          danger
          label={t('push.removeName', { address })}
          confirm={t('push.removeConfirm', { address })}
        >
          {t('push.remove')}
        </PostButton>
      </div>
      {row.public_key ? (
        <div class="mt-2">
          <p class="f6 color-fg-muted mb-1">{t('push.key')}</p>
          <CopyBlock text={row.public_key} label={t('push.copyKey')} />
        </div>
      ) : null}
    </li>
  );
}

/** The page may have the form of a pull mirror, too. */
export const pushPrefix = 'push_';

function PushForm({ base, sent, minInterval, defaultInterval }: PushSectionProps): VNode {
  return (
    <form method="post" action={`${base}/push`}>
      <Csrf />
      <RemoteFields sent={sent} prefix={pushPrefix} addressNote={t('field.addressNote')} />
      <CheckField
        name="push_ssh"
        value="on"
        label={t('field.useSsh')}
        note={t('field.addressSshNote')}
        checked={sent ? isChecked(sent, 'push_ssh') : false}
      />
      <ScheduleFields sent={sent} prefix={pushPrefix} interval={defaultInterval} minInterval={minInterval} />
      <CheckField
        name="push_commits"
        value="on"
        label={t('field.onCommit')}
        checked={sent ? isChecked(sent, 'push_commits') : true}
      />
      <CheckField
        name="push_lfs"
        value="on"
        label={t('field.lfs')}
        checked={sent ? isChecked(sent, 'push_lfs') : true}
      />
      <button class="btn btn-primary mt-2" type="submit">
        {t('push.add')}
      </button>
    </form>
  );
}
