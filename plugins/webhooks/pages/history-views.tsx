import type { VNode } from 'preact';
import { icon, PostButton, Section } from '@mortise/plugin-sdk';
import type { Hook } from '../api.js';
import type { DeliveryRow } from '../models/delivery.js';
import type { PagePlace } from './hook-pages.js';

const stateLabels = {
  waiting: ['Label--attention', 'waiting'],
  succeeded: ['Label--success', 'delivered'],
  failed: ['Label--danger', 'failed'],
  skipped: ['Label--secondary', 'not sent'],
} as const;
const when = (time: number) => (
  <time dateTime={new Date(time).toISOString()}>{new Date(time).toISOString().slice(0, 19).replace('T', ' ')} UTC</time>
);

/** The newest deliveries below the form. */
export function Deliveries({
  place,
  hook,
  deliveries,
}: {
  place: PagePlace;
  hook: Hook;
  deliveries: readonly DeliveryRow[];
}): VNode {
  return (
    <Section title="Recent deliveries">
      {place.isRepository ? (
        <PostButton action={`${place.base}/${hook.id}/test`} csrf={place.csrf} class="btn" formClass="mb-3">
          Send a trial push
        </PostButton>
      ) : null}
      {deliveries.length === 0 ? <p class="color-fg-muted">Nothing was sent yet.</p> : null}
      <ul class="Box list-style-none" hidden={deliveries.length === 0}>
        {deliveries.map((delivery) => (
          <li key={delivery.id} class="Box-row d-flex flex-items-center">
            <span class={`Label ${stateLabels[delivery.state][0]} mr-2`}>{stateLabels[delivery.state][1]}</span>
            <a class="text-mono flex-auto" href={`${place.base}/${hook.id}/deliveries/${delivery.id}`}>
              {delivery.uuid}
            </a>
            <span class="mr-3">{delivery.event_type}</span>
            <span class="color-fg-muted text-small">{when(Number(delivery.created_at))}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

const Lines = ({ headers }: { headers: Readonly<Record<string, string>> }): VNode => (
  <pre class="Box p-2 overflow-auto">
    {Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n')}
  </pre>
);

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

/** What was sent and what came back. */
export function Delivery({ place, hook, delivery }: { place: PagePlace; hook: Hook; delivery: DeliveryRow }): VNode {
  const { request, response } = delivery;
  return (
    <Section title={`Delivery ${delivery.uuid}`}>
      <p>
        <span class={`Label ${stateLabels[delivery.state][0]} mr-2`}>{stateLabels[delivery.state][1]}</span>
        {delivery.event_type} · {when(Number(delivery.created_at))} · attempts: {delivery.attempts}
      </p>
      <PostButton action={`${place.base}/${hook.id}/deliveries/${delivery.id}/redeliver`} csrf={place.csrf} class="btn">
        {icon('sync')} Deliver again
      </PostButton>
      <h3 class="mt-3">Request</h3>
      {request ? (
        <>
          <p class="text-mono">
            {request.method} {request.url}
          </p>
          <Lines headers={request.headers} />
          <pre class="Box p-2 overflow-auto">{pretty(request.body)}</pre>
        </>
      ) : (
        <pre class="Box p-2 overflow-auto">{JSON.stringify(delivery.payload, null, 2)}</pre>
      )}
      <h3 class="mt-3">Response</h3>
      {response ? (
        <>
          <p>
            {response.error ? (
              <span class="color-fg-danger">{response.error}</span>
            ) : (
              `Status ${response.status}, ${response.took} ms`
            )}
          </p>
          {response.status ? <Lines headers={response.headers} /> : null}
          {response.body ? <pre class="Box p-2 overflow-auto">{pretty(response.body)}</pre> : null}
        </>
      ) : (
        <p class="color-fg-muted">None yet.</p>
      )}
      <p class="mt-3">
        <a href={`${place.base}/${hook.id}`}>Back to the webhook</a>
      </p>
    </Section>
  );
}
