import type { VNode } from 'preact';
import { Csrf, formatDate, icon, PostButton, reply, Section, type Route } from '@mortise/plugin-sdk';
import type { Hook } from '../contract/webhooks.js';
import type { DeliveryRow, SentRequest } from '../models/delivery.js';
import { t } from '../texts/index.js';
import type { HookPageContext, LevelPages } from './level-pages.js';

const colours = {
  waiting: 'Label--attention',
  succeeded: 'Label--success',
  failed: 'Label--danger',
  skipped: 'Label--secondary',
} as const;
const State = ({ state }: Pick<DeliveryRow, 'state'>): VNode => (
  <span class={`Label ${colours[state]} mr-2`}>{t(`state.${state}`)}</span>
);
const When = ({ time }: { time: number }): VNode => (
  <time dateTime={new Date(time).toISOString()}>{formatDate(time, 'full')}</time>
);

/** Above the form while the receiver takes nothing. */
export function DeliveryProblem({
  pageContext,
  hook,
  waiting,
  nextAttempt,
}: {
  pageContext: HookPageContext;
  hook: Hook;
  waiting: number;
  nextAttempt: number;
}): VNode {
  return (
    <div class="flash flash-warn mb-3" role="status">
      <p>
        {t.rich('trouble.since', { time: <When time={hook.failingSince} /> })}{' '}
        {waiting > 0 ? t('trouble.waiting', { count: waiting }) : null}{' '}
        {waiting > 0 && nextAttempt > 0 ? t.rich('trouble.next', { time: <When time={nextAttempt} /> }) : null}
      </p>
      {waiting > 0 ? (
        <PostButton action={`${pageContext.base}/${hook.id}/wake`} csrf={pageContext.csrf} class="btn">
          {icon('sync')} {t('trouble.now')}
        </PostButton>
      ) : null}
    </div>
  );
}

/** Above the form while deliveries are tried again that later ones have overtaken. */
export const Overtaken = ({ count }: { count: number }): VNode | null =>
  count > 0 ? (
    <p class="flash flash-warn mb-3" role="status">
      {t('trouble.overtaken', { count })}
    </p>
  ) : null;

/** The newest deliveries below the form. */
export function Deliveries({
  pageContext,
  hook,
  deliveries,
}: {
  pageContext: HookPageContext;
  hook: Hook;
  deliveries: readonly DeliveryRow[];
}): VNode {
  return (
    <Section title={t('deliveries.title')}>
      {pageContext.isRepository ? (
        <PostButton action={`${pageContext.base}/${hook.id}/test`} csrf={pageContext.csrf} class="btn" formClass="mb-3">
          {t('deliveries.test')}
        </PostButton>
      ) : null}
      {deliveries.length ? <Range pageContext={pageContext} hook={hook} deliveries={deliveries} /> : null}
      {deliveries.length === 0 ? <p class="color-fg-muted">{t('deliveries.none')}</p> : null}
      <ul class="Box list-style-none" hidden={deliveries.length === 0}>
        {deliveries.map((delivery) => (
          <li key={delivery.id} class="Box-row d-flex flex-items-center">
            <State state={delivery.state} />
            <a class="text-mono flex-auto" href={`${pageContext.base}/${hook.id}/deliveries/${delivery.id}`}>
              {delivery.uuid}
            </a>
            <span class="mr-3">{delivery.event_type}</span>
            <span class="color-fg-muted text-small">
              <When time={Number(delivery.created_at)} />
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** As fields of forms have times: minutes, in UTC. */
const fieldTime = (time: number): string => new Date(time).toISOString().slice(0, 16);
const minute = 60_000;

/** Sends what failed, or everything, of a time range again. */
const Range = ({ pageContext, hook, deliveries }: Parameters<typeof Deliveries>[0]): VNode => (
  <details class="mb-3">
    <summary>{t('range.title')}</summary>
    <form
      class="d-flex flex-wrap flex-items-end gap-2 mt-2"
      method="post"
      action={`${pageContext.base}/${hook.id}/redeliver`}
    >
      <Csrf token={pageContext.csrf} />
      {(
        [
          ['since', t('range.from'), Number(deliveries.at(-1)!.created_at)],
          ['before', t('range.to'), Number(deliveries[0]!.created_at) + minute],
        ] as const
      ).map(([name, label, time]) => (
        <label class="d-block" key={name}>
          <span class="d-block f6 text-bold">{label}</span>
          <input class="form-control" type="datetime-local" name={name} required value={fieldTime(time)} />
        </label>
      ))}
      <label class="d-block text-normal">
        <input type="checkbox" name="all" value="true" /> {t('range.all')}
      </label>
      <button class="btn" type="submit">
        {icon('sync')} {t('range.do')}
      </button>
    </form>
    <p class="note">{t('range.zone')}</p>
  </details>
);

/** What would be sent; nothing was. */
export const Preview = ({ request }: { request: SentRequest | undefined }): VNode => (
  <Section title={t('preview.title')}>
    <p class="color-fg-muted">{t('preview.note')}</p>
    {request ? <Request request={request} /> : <p>{t('preview.none')}</p>}
  </Section>
);

const Lines = ({ headers }: { headers: Readonly<Record<string, string>> }): VNode => (
  <pre class="Box p-2 overflow-auto" tabIndex={0}>
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

const Request = ({ request }: { request: SentRequest }): VNode => (
  <>
    <p class="text-mono wb-break-word">
      {request.method} {request.url}
    </p>
    <Lines headers={request.headers} />
    <pre class="Box p-2 overflow-auto" tabIndex={0}>
      {pretty(request.body)}
    </pre>
  </>
);

/** What was sent and what came back. */
function Delivery({
  pageContext,
  hook,
  delivery,
}: {
  pageContext: HookPageContext;
  hook: Hook;
  delivery: DeliveryRow;
}): VNode {
  const { request, response } = delivery;
  return (
    <Section title={t('delivery.title', { id: delivery.uuid })}>
      <p>
        <State state={delivery.state} />
        {delivery.event_type} · <When time={Number(delivery.created_at)} /> ·{' '}
        {t('delivery.attempts', { count: delivery.attempts })}
      </p>
      <PostButton
        action={`${pageContext.base}/${hook.id}/deliveries/${delivery.id}/redeliver`}
        csrf={pageContext.csrf}
        class="btn"
      >
        {icon('sync')} {t('delivery.again')}
      </PostButton>
      <h3 class="mt-3">{t('delivery.request')}</h3>
      {request ? (
        <Request request={request} />
      ) : (
        <pre class="Box p-2 overflow-auto" tabIndex={0}>
          {JSON.stringify(delivery.payload, null, 2)}
        </pre>
      )}
      <h3 class="mt-3">{t('delivery.response')}</h3>
      {response ? (
        <>
          <p>
            {response.error ? (
              <span class="color-fg-danger">{response.error}</span>
            ) : (
              t('delivery.status', { status: String(response.status), took: response.took })
            )}
          </p>
          {response.status ? <Lines headers={response.headers} /> : null}
          {response.body ? (
            <pre class="Box p-2 overflow-auto" tabIndex={0}>
              {pretty(response.body)}
            </pre>
          ) : null}
        </>
      ) : (
        <p class="color-fg-muted">{t('delivery.noResponse')}</p>
      )}
      <p class="mt-3">
        <a href={`${pageContext.base}/${hook.id}`}>{t('delivery.back')}</a>
      </p>
    </Section>
  );
}

export const deliveryPage = <S,>(pages: LevelPages<S>): Route =>
  pages.deliveryRoute('GET', '', async (context, hook, deliveryId) => {
    const delivery = await pages.deps.history.get(hook.id, deliveryId);
    const body = <Delivery pageContext={pages.pageContext(context)} hook={hook} delivery={delivery} />;
    return pages.page(context, t.later('delivery.page'), body);
  });

/** Sends one delivery again. */
export const redeliver = <S,>(pages: LevelPages<S>): Route =>
  pages.deliveryRoute('POST', '/redeliver', async (context, hook, deliveryId) => {
    const { history, webhooks } = pages.deps;
    const again = await webhooks.redeliver(await history.get(hook.id, deliveryId));
    return reply.redirect(`${pages.level.base(context)}/${hook.id}/deliveries/${again}`);
  });
