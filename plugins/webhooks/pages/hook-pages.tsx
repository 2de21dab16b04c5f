import type { VNode } from 'preact';
import { SettingField } from './setting-field.js';
import {
  Blankslate,
  CheckField,
  Csrf,
  formatDate,
  icon,
  Pager,
  PostButton,
  Section,
  SelectField,
  Tabs,
  TextField,
  textOf,
  type TabsProps,
  type Text,
} from '@mortise/plugin-sdk';
import type { AnnouncementKind } from '@mortise/announcements/api';
import type { Hook, WebhookKind } from '../contract/webhooks.js';
import { EventNames } from '../services/event-names.js';
import { t } from '../texts/index.js';

/** Where the pages lie, for instance `/alice/tool/settings/hooks`, with the site's path. */
export interface HookPageContext {
  readonly base: string;
  readonly csrf: string;
  /** The kind of place has branches to filter and pushes to try. */
  readonly isRepository: boolean;
  readonly note?: Text;
  readonly tabs?: Pick<TabsProps, 'entries' | 'active'>;
}

const stateIcons = {
  none: ['dot', 'color-fg-muted'],
  succeeded: ['check', 'color-fg-success'],
  failed: ['x', 'color-fg-danger'],
} as const;

/** All hooks of a place, by name or address (HOK-03). */
export function HookList({
  pageContext,
  hooks,
  kinds,
  page,
  last,
}: {
  pageContext: HookPageContext;
  hooks: readonly Hook[];
  kinds: readonly WebhookKind[];
  page: number;
  last: number;
}): VNode {
  return (
    <Section title={t('list.title')}>
      {pageContext.tabs ? <Tabs label={t('list.title')} {...pageContext.tabs} /> : null}
      <p class="color-fg-muted">{pageContext.note ? textOf(pageContext.note) : t('list.note')}</p>
      {hooks.length > 0 ? (
        <ul class="Box list-style-none mb-3">
          {hooks.map((hook) => {
            const [name, colour] = stateIcons[hook.lastStatus];
            return (
              <li key={hook.id} class="Box-row d-flex flex-items-center">
                <span class={`mr-2 ${colour}`}>{icon(name, { label: t(`status.${hook.lastStatus}`) })}</span>
                <a class="list-main" href={`${pageContext.base}/${hook.id}`}>
                  {hook.name || hook.url}
                </a>
                {hook.creatorLeftAt ? <span class="Label Label--warning mr-2">{t('list.departed')}</span> : null}
                <span class="Label mr-2">{hook.kind}</span>
                {hook.active ? null : <span class="Label Label--secondary">{t('list.inactive')}</span>}
              </li>
            );
          })}
        </ul>
      ) : (
        <Blankslate level={3} title={t('list.none')} icon="webhook" />
      )}
      <Pager page={page} last={last} href={(to) => `?page=${to}`} />
      <p>
        {kinds.map((kind) => (
          <a key={kind.key} class="btn mr-2 mb-2" href={`${pageContext.base}/new?type=${encodeURIComponent(kind.key)}`}>
            {icon(kind.icon ?? 'webhook')} {t('list.add', { kind: textOf(kind.label) })}
          </a>
        ))}
      </p>
    </Section>
  );
}

const groupOf = ({ group }: AnnouncementKind): string => textOf(group ?? t.later('form.otherEvents'));

export interface HookFormProps {
  readonly pageContext: HookPageContext;
  readonly kind: WebhookKind;
  readonly events: readonly AnnouncementKind[];
  /** Undefined: a new one. */
  readonly hook?: Hook;
  /** What was sent, after a refusal. */
  readonly sent?: Readonly<Record<string, string>>;
}

export function HookForm({ pageContext, kind, events, hook, sent = {} }: HookFormProps): VNode {
  const chosen = new Set(sent.events !== undefined ? sent.events.split(',') : (hook?.events ?? ['push']));
  const groups = [...new Set(events.map((event) => groupOf(event)))];
  const contentType = sent.content_type ?? hook?.contentType ?? 'json';
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
        {kind.signed ? (
          <>
            {kind.jsonOnly ? (
              <input type="hidden" name="content_type" value="json" />
            ) : (
              <SelectField
                name="content_type"
                label={t('form.contentType')}
                value={contentType}
                options={[
                  ['json', 'application/json'],
                  ['form', 'application/x-www-form-urlencoded'],
                ]}
              />
            )}
            <TextField
              name="secret"
              label={t('form.secret')}
              type="password"
              note={t(hook?.hasSecret ? 'form.secretSet' : 'form.secretNote')}
            />
            {hook?.hasSecret ? (
              <>
                <CheckField
                  name="secret_remove"
                  label={t('form.secretRemove')}
                  checked={sent.secret_remove === 'true'}
                />
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
        ) : (
          <input type="hidden" name="content_type" value={contentType} />
        )}
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
