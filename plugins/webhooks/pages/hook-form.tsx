import type { VNode } from 'preact';
import { CheckField, Csrf, formatDate, PostButton, Section, SelectField, TextField, textOf } from '@mortise/plugin-sdk';
import type { AnnouncementKind } from '@mortise/announcements/api';
import type { Hook } from '../contract/webhooks.js';
import type { WebhookKind } from '../api.js';
import { EventNames } from '../services/event-names.js';
import { t } from '../texts/index.js';
import type { HookPageContext } from './level-pages.js';
import { SettingField } from './setting-field.js';

const groupOf = ({ group }: AnnouncementKind): string => textOf(group ?? t.later('form.otherEvents'));

/** What was sent, after a refusal. */
type SentFields = Readonly<Record<string, string>>;

interface FieldsProps {
  readonly kind: WebhookKind;
  /** Undefined: a new one. */
  readonly hook: Hook | undefined;
  readonly sent: SentFields;
}

interface HookFormProps extends Pick<FieldsProps, 'kind'> {
  readonly pageContext: HookPageContext;
  readonly events: readonly AnnouncementKind[];
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

/** The events to choose from, in their groups. */
function EventFields({ events, hook, sent }: FieldsProps & Pick<HookFormProps, 'events'>): VNode {
  const chosen = new Set(sent.events !== undefined ? sent.events.split(',') : (hook?.events ?? ['push']));
  const groups = [...new Set(events.map((event) => groupOf(event)))];
  return (
    <fieldset class="form-group border-0">
      <legend class="text-bold">{t('form.events')}</legend>
      {groups.map((group) => (
        <div key={group} class="mb-2">
          <div class="color-fg-muted text-small">{group}</div>
          {events
            .filter((event) => groupOf(event) === group)
            .map(({ key, label, description }) => (
              <CheckField
                key={key}
                id={`field-events-${key}`}
                name="events"
                value={key}
                label={textOf(label)}
                note={description && textOf(description)}
                checked={EventNames.wants([...chosen], key)}
              />
            ))}
        </div>
      ))}
    </fieldset>
  );
}

export function HookForm({ pageContext, kind, events, hook, sent = {} }: HookFormProps): VNode {
  const fields = { kind, hook, sent };
  return (
    <Section title={hook ? hook.name || hook.url : t('form.new', { kind: textOf(kind.label) })}>
      <form
        method="post"
        action={
          hook ? `${pageContext.base}/${hook.id}` : `${pageContext.base}/new?type=${encodeURIComponent(kind.key)}`
        }
      >
        <Csrf token={pageContext.csrf} />
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
        <EventFields {...fields} events={events} />
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
          csrf={pageContext.csrf}
          class="btn btn-danger"
          formClass="confirm-start mt-3"
          confirm={t('form.deleteConfirm')}
        >
          {t('form.delete')}
        </PostButton>
      ) : null}
    </Section>
  );
}
