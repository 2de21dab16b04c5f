import type { VNode } from 'preact';
import { formatDate, icon, PostButton, reply, Section, webPage, type Route } from '@mortise/plugin-sdk';
import type { Hook } from '../contract/webhooks.js';
import type { DeliveryRow, ReceivedResponse, SentRequest } from '../models/delivery.js';
import { summaryOf } from '../services/delivery-history.js';
import { t } from '../texts/index.js';
import { DeliveryLine } from './delivery-line.js';
import { HookFrame } from './hook-frame.js';
import type { HookPageContext, LevelPages } from './level-pages.js';

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

const Response = ({ response }: { response: ReceivedResponse }): VNode => (
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
);

interface DeliveryProps {
  readonly pageContext: HookPageContext;
  readonly hook: Hook;
  readonly delivery: DeliveryRow;
}

/** What was sent and what came back. */
const Delivery = ({ pageContext, hook, delivery }: DeliveryProps): VNode => (
  <div class="pt-3">
    <p class="wb-break-word">
      <span class="text-mono f6">{delivery.uuid}</span> · {formatDate(Number(delivery.created_at), 'full')} ·{' '}
      {t('delivery.attempts', { count: delivery.attempts })}
    </p>
    <PostButton action={`${pageContext.base}/${hook.id}/deliveries/${delivery.id}/redeliver`} class="btn">
      {icon('sync')} {t('delivery.again')}
    </PostButton>
    <h3 class="h4 mt-3">{t('delivery.request')}</h3>
    {delivery.request ? (
      <Request request={delivery.request} />
    ) : (
      <pre class="Box p-2 overflow-auto" tabIndex={0}>
        {JSON.stringify(delivery.payload, null, 2)}
      </pre>
    )}
    <h3 class="h4 mt-3">{t('delivery.response')}</h3>
    {delivery.response ? (
      <Response response={delivery.response} />
    ) : (
      <p class="color-fg-muted">{t('delivery.noResponse')}</p>
    )}
  </div>
);

/** A delivery by itself, and as the part of the list that unfolds. */
export const deliveryPage = <S,>(pages: LevelPages<S>): Route =>
  pages.deliveryRoute('GET', '', async (context, hook, deliveryId) => {
    const delivery = await pages.deps.history.get(hook.id, deliveryId);
    const pageContext = pages.pageContext(context);
    const title = t.later('delivery.page');
    const details = <Delivery pageContext={pageContext} hook={hook} delivery={delivery} />;
    if ((context.query as { readonly part?: unknown }).part) return webPage({ title, fragment: true, body: details });
    const body = (
      <HookFrame pageContext={pageContext} hook={hook} kinds={pages.deps.kinds} active="deliveries">
        <ul class="Box list-style-none">
          <li class="Box-row">
            <div class="d-flex flex-wrap flex-items-center gap-2">
              <DeliveryLine delivery={summaryOf(delivery)} />
            </div>
            {details}
          </li>
        </ul>
      </HookFrame>
    );
    return pages.page(context, title, body);
  });

/** Sends one delivery again; it stands first in the list then. */
export const redeliver = <S,>(pages: LevelPages<S>): Route =>
  pages.deliveryRoute('POST', '/redeliver', async (context, hook, deliveryId) => {
    const { history, webhooks } = pages.deps;
    await webhooks.redeliver(await history.get(hook.id, deliveryId));
    return reply.redirect(`${pages.level.base(context)}/${hook.id}/deliveries?again=1`);
  });
