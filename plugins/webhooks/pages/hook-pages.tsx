import type { VNode } from 'preact';
import { CheckField, Csrf, icon, PostButton, Section, SelectField, TextField } from '@mortise/plugin-sdk';
import type { Hook, WebhookEvent, WebhookKind } from '../api.js';

/** Where the pages lie, for instance `/alice/tool/settings/hooks`, with the site's path. */
export interface PagePlace {
  readonly base: string;
  readonly csrf: string;
  /** The kind of place has branches to filter and pushes to try. */
  readonly isRepository: boolean;
}

const marks = {
  none: ['dot', 'color-fg-muted', 'never sent'],
  succeeded: ['check', 'color-fg-success', 'the last delivery succeeded'],
  failed: ['x', 'color-fg-danger', 'the last delivery failed'],
} as const;

/** All hooks of a place, by name or address (HOK-03). */
export function HookList({
  place,
  hooks,
  kinds,
}: {
  place: PagePlace;
  hooks: readonly Hook[];
  kinds: readonly WebhookKind[];
}): VNode {
  return (
    <Section title="Webhooks">
      <p class="color-fg-muted">A webhook tells another service by HTTP when something happens here.</p>
      {hooks.length > 0 ? (
        <ul class="Box list-style-none mb-3">
          {hooks.map((hook) => {
            const [name, colour, text] = marks[hook.lastStatus];
            return (
              <li key={hook.id} class="Box-row d-flex flex-items-center">
                <span class={`mr-2 ${colour}`}>{icon(name, { label: text })}</span>
                <a
                  class="flex-auto css-truncate css-truncate-target"
                  style="max-width: none"
                  href={`${place.base}/${hook.id}`}
                >
                  {hook.name || hook.url}
                </a>
                <span class="Label mr-2">{hook.kind}</span>
                {hook.active ? null : <span class="Label Label--secondary">off</span>}
              </li>
            );
          })}
        </ul>
      ) : (
        <div class="blankslate Box mb-3">
          <h3 class="blankslate-heading">There is no webhook yet</h3>
        </div>
      )}
      <p>
        {kinds.map((kind) => (
          <a key={kind.key} class="btn mr-2 mb-2" href={`${place.base}/new?type=${encodeURIComponent(kind.key)}`}>
            {icon(kind.icon ?? 'webhook')} Add {kind.label} webhook
          </a>
        ))}
      </p>
    </Section>
  );
}

export interface HookFormProps {
  readonly place: PagePlace;
  readonly kind: WebhookKind;
  readonly events: readonly WebhookEvent[];
  /** Undefined: a new one. */
  readonly hook?: Hook;
  /** What was sent, after a refusal. */
  readonly sent?: Readonly<Record<string, string>>;
}

export function HookForm({ place, kind, events, hook, sent = {} }: HookFormProps): VNode {
  const chosen = new Set(sent.events !== undefined ? sent.events.split(',') : (hook?.events ?? ['push']));
  const groups = [...new Set(events.map((event) => event.group ?? 'Other'))];
  const contentType = sent.content_type ?? hook?.contentType ?? 'json';
  return (
    <Section title={hook ? hook.name || hook.url : `New webhook: ${kind.label}`}>
      <form
        method="post"
        action={hook ? `${place.base}/${hook.id}` : `${place.base}/new?type=${encodeURIComponent(kind.key)}`}
      >
        <Csrf token={place.csrf} />
        <TextField
          name="name"
          label="Name"
          value={sent.name ?? hook?.name}
          note="Optional; shown instead of the address."
        />
        {kind.address ? null : (
          <TextField
            name="url"
            label="Address"
            type="url"
            value={sent.url ?? hook?.url}
            required
            placeholder="https://"
          />
        )}
        {(kind.settings ?? []).map((setting) => (
          <TextField
            key={setting.name}
            name={`setting_${setting.name}`}
            label={setting.label}
            value={sent[`setting_${setting.name}`] ?? hook?.settings[setting.name]}
            note={setting.help}
            placeholder={setting.placeholder}
            required={setting.required}
          />
        ))}
        {kind.signed ? (
          <>
            <SelectField
              name="content_type"
              label="Content type"
              value={contentType}
              options={[
                ['json', 'application/json'],
                ['form', 'application/x-www-form-urlencoded'],
              ]}
            />
            <TextField
              name="secret"
              label="Secret"
              type="password"
              note={
                hook?.hasSecret
                  ? 'There is one; leave empty to keep it.'
                  : 'Signs the body of each delivery, so that the receiver can check who sent it.'
              }
            />
          </>
        ) : (
          <input type="hidden" name="content_type" value={contentType} />
        )}
        <TextField
          name="authorization_header"
          label="Authorization header"
          type="password"
          placeholder="Bearer …"
          note={
            hook?.hasAuthorization
              ? 'There is one; leave empty to keep it.'
              : 'Sent to this address only, and never shown again.'
          }
        />
        <fieldset class="form-group" style="border: 0">
          <legend class="text-bold">Events</legend>
          {groups.map((group) => (
            <div key={group} class="mb-2">
              <div class="color-fg-muted text-small">{group}</div>
              {events
                .filter((event) => (event.group ?? 'Other') === group)
                .map(({ key, label, description }) => (
                  <CheckField
                    key={key}
                    id={`field-events-${key}`}
                    name="events"
                    value={key}
                    label={label}
                    note={description}
                    checked={chosen.has(key)}
                  />
                ))}
            </div>
          ))}
        </fieldset>
        <TextField
          name="branch_filter"
          label="Branch filter"
          value={sent.branch_filter ?? hook?.branchFilter}
          placeholder="*"
          note="A glob for push, create and delete, for instance main, {main,release/*} or refs/tags/v*."
        />
        <CheckField
          name="active"
          label="Active"
          checked={sent.url !== undefined ? sent.active === 'true' : (hook?.active ?? true)}
        />
        <button class="btn btn-primary mt-3" type="submit">
          {hook ? 'Save' : 'Add webhook'}
        </button>
      </form>
      {hook ? (
        <PostButton
          action={`${place.base}/${hook.id}/delete`}
          csrf={place.csrf}
          class="btn btn-danger"
          formClass="confirm-start mt-3"
          confirm="Delete this webhook and the history of its deliveries?"
        >
          Delete webhook
        </PostButton>
      ) : null}
    </Section>
  );
}
