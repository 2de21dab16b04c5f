import type { VNode } from 'preact';
import { CheckField, Invalid, RadioFields, textOf } from '@mortise/plugin-sdk';
import type { ActivityEventKind } from '@mortise/activity-events/api';
import type { Hook } from '../contract/webhooks.js';
import { EventNames, everyEvent } from '../services/event-names.js';
import { t } from '../texts/index.js';

/** What the form was sent with, after a refusal. */
export type SentFields = Readonly<Record<string, string>>;

type EventChoice = 'push' | 'everything' | 'chosen';

const groupOf = ({ group }: ActivityEventKind): string => textOf(group ?? t.later('form.otherEvents'));

function choiceOf(events: readonly string[]): EventChoice {
  if (events.includes(everyEvent)) return 'everything';
  return events.length === 1 && events[0] === 'push' ? 'push' : 'chosen';
}

interface EventFieldsProps {
  /** All that can be chosen. */
  readonly events: readonly ActivityEventKind[];
  /** Undefined: a new one. */
  readonly hook: Hook | undefined;
  readonly sent: SentFields;
}

/** The events to choose from, in their groups. */
const EventList = ({ events, chosen }: Pick<EventFieldsProps, 'events'> & { chosen: readonly string[] }): VNode => (
  <>
    {[...new Set(events.map((event) => groupOf(event)))].map((group) => (
      <fieldset key={group} class="border-0 p-0 m-0 mb-3">
        <legend class="color-fg-muted text-small">{group}</legend>
        <div class="check-grid">
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
                checked={EventNames.wants(chosen, key)}
              />
            ))}
        </div>
      </fieldset>
    ))}
  </>
);

/** What a hook hears: pushes, everything, or what is ticked. */
export function EventFields({ events, hook, sent }: EventFieldsProps): VNode {
  const stored = hook?.events ?? ['push'];
  const chosen = sent.event_choice === undefined ? stored : (sent.events ?? '').split(',');
  return (
    <div class="my-3">
      <RadioFields
        name="event_choice"
        label={t('form.events')}
        value={sent.event_choice ?? choiceOf(stored)}
        options={[
          ['push', t('form.justPush')],
          ['everything', t('form.everything'), t('form.everythingNote')],
          ['chosen', t('form.letMeChoose')],
        ]}
        below={{ chosen: <EventList events={events} chosen={chosen} /> }}
      />
    </div>
  );
}

/** A choice on the form means exactly these, not what the name stands for in the API. */
const exactly = (events: readonly string[]): string[] =>
  events.map((name) => (name === 'issues' ? 'issues_only' : name === 'pull_request' ? 'pull_request_only' : name));

/** The events that a form was sent with. */
export function eventsOf(form: Readonly<Record<string, unknown>>): string[] {
  if (form.event_choice === 'push') return ['push'];
  if (form.event_choice === 'everything') return [everyEvent];
  const events = [form.events ?? []].flat().map(String);
  const none = t.later('error.noEvents');
  if (form.event_choice === 'chosen' && events.length === 0) throw Invalid(none, { inputs: { event_choice: none } });
  return exactly(events);
}
