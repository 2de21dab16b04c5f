import type { VNode } from 'preact';
import { CheckField, Csrf, formatDate, PostButton, SelectField, TextField } from '@mortise/plugin-sdk';
import type { ActivityEventKind } from '@mortise/activity-events/api';
import type { Hook } from '../contract/webhooks.js';
import type { WebhookKind } from '../api.js';
import { t } from '../texts/index.js';
import { EventFields, type SentFields } from './event-fields.js';
import type { HookPageContext } from './level-pages.js';
import { SettingField } from './setting-field.js';

interface FieldsProps {
  readonly kind: WebhookKind;
  /** Undefined: a new one. */
  readonly hook: Hook | undefined;
  readonly sent: SentFields;
}

interface HookFormProps extends Pick<FieldsProps, 'kind'> {
  readonly pageContext: HookPageContext;
  readonly events: readonly ActivityEventKind[];
  readonly hook?: Hook;
  readonly sent?: SentFields;
}

function ContentTypeField({ kind, hook, sent }: FieldsProps): VNode {
  const contentType = sent.content_type ?? hook?.contentType ?? 'json';
  if (!kind.signed || kind.jsonOnly)
    return <input type="hidden" name="content_type" value={kind.signed ? 'json' : contentType} />;
  return (
    <SelectField
      name="content_type"
      label={t('form.contentType')}
      value={contentType}
      options={[
        ['json', 'application/json'],
        ['form', 'application/x-www-form-urlencoded'],
      ]}
    />
  );
}

/** The secret that deliveries are signed with; of one that is stored only that there is one. */
const SecretFields = ({ hook, sent }: FieldsProps): VNode => (
  <>
    <TextField
      name="secret"
      label={t('form.secret')}
      type="password"
      note={t(hook?.hasSecret ? 'form.secretSet' : 'form.secretNote')}
    />
    {hook?.hasSecret ? (
      <>
        <CheckField name="secret_remove" label={t('form.secretRemove')} checked={sent.secret_remove === 'true'} />
        <TextField
          name="secret_overlap_hours"
          label={t('form.overlap')}
          type="number"
          value={sent.secret_overlap_hours ?? '0'}
          note={
            hook.previousUntil > Date.now()
              ? t('form.overlapUntil', { time: formatDate(hook.previousUntil, 'full') })
              : t('form.overlapNote')
          }
        />
      </>
    ) : null}
  </>
);

const AuthorizationFields = ({ hook, sent }: FieldsProps): VNode => (
  <>
    <TextField
      name="authorization_header"
      label={t('form.authorization')}
      type="password"
      placeholder={t('form.authorizationPlaceholder')}
      note={t(hook?.hasAuthorization ? 'form.authorizationSet' : 'form.authorizationNote')}
    />
    {hook?.hasAuthorization ? (
      <CheckField
        name="authorization_remove"
        label={t('form.authorizationRemove')}
        checked={sent.authorization_remove === 'true'}
      />
    ) : null}
  </>
);

export function HookForm({ pageContext, kind, events, hook, sent = {} }: HookFormProps): VNode {
  const fields = { kind, hook, sent };
  return (
    <>
      <form
        method="post"
        action={
          hook ? `${pageContext.base}/${hook.id}` : `${pageContext.base}/new?type=${encodeURIComponent(kind.key)}`
        }
      >
        <Csrf />
        <TextField name="name" label={t('form.name')} value={sent.name ?? hook?.name} note={t('form.nameNote')} />
        {kind.address ? null : (
          <TextField
            name="url"
            label={t('form.url')}
            type="url"
            value={sent.url ?? hook?.url}
            required
            placeholder="https://"
          />
        )}
        {(kind.settings ?? []).map((setting) => (
          <SettingField
            key={setting.name}
            setting={setting}
            value={sent[`setting_${setting.name}`] ?? hook?.settings[setting.name]}
            isNew={!hook}
          />
        ))}
        <ContentTypeField {...fields} />
        {kind.signed ? <SecretFields {...fields} /> : null}
        <AuthorizationFields {...fields} />
        <EventFields hook={hook} sent={sent} events={events} />
        <TextField
          name="branch_filter"
          label={t('form.branchFilter')}
          value={sent.branch_filter ?? hook?.branchFilter}
          placeholder="*"
          note={t.rich('form.branchFilterNote', { code: (children) => <code>{children}</code> })}
        />
        <CheckField
          name="active"
          label={t('form.active')}
          checked={sent.url !== undefined ? sent.active === 'true' : (hook?.active ?? true)}
        />
        <button class="btn btn-primary mt-3" type="submit">
          {t(hook ? 'form.save' : 'form.submit')}
        </button>{' '}
        {pageContext.isRepository ? (
          <button class="btn mt-3" type="submit" name="preview" value="1">
            {t('form.preview')}
          </button>
        ) : null}
      </form>
      {hook ? (
        <PostButton
          action={`${pageContext.base}/${hook.id}/delete`}
          class="btn btn-danger"
          formClass="confirm-start mt-3"
          confirm={t('form.deleteConfirm')}
        >
          {t('form.delete')}
        </PostButton>
      ) : null}
    </>
  );
}
