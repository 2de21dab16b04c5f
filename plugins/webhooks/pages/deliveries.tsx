import type { VNode } from 'preact';
import {
  contextWith,
  Csrf,
  icon,
  Invalid,
  lastPage,
  LazyFragment,
  Pager,
  PostButton,
  Problem,
  reply,
  type Route,
  type RouteContext,
} from '@mortise/plugin-sdk';
import type { Hook } from '../contract/webhooks.js';
import { rangeOf } from '../routes/hooks.js';
import type { DeliverySummary } from '../services/delivery-history.js';
import { t } from '../texts/index.js';
import { DeliveryLine } from './delivery-line.js';
import { HookFrame, Trouble, troubleOf } from './hook-frame.js';
import type { HookPageContext, LevelPages } from './level-pages.js';

interface DeliveriesProps {
  readonly pageContext: HookPageContext;
  readonly hook: Hook;
  readonly deliveries: readonly DeliverySummary[];
}

/** Each unfolds to what was sent and what came back. */
const DeliveryList = ({ pageContext, hook, deliveries }: DeliveriesProps): VNode => (
  <ul class="Box list-style-none mb-3">
    {deliveries.map((delivery) => {
      const address = `${pageContext.base}/${hook.id}/deliveries/${delivery.id}`;
      return (
        <li key={delivery.id} class="Box-row">
          <details>
            <summary class="d-flex flex-wrap flex-items-center gap-2">
              <DeliveryLine delivery={delivery} />
              {icon('chevron-down', { class: 'color-fg-muted' })}
            </summary>
            <LazyFragment href={`${address}?part=details`}>
              <p class="mt-2 mb-0">
                <a href={address}>{t('deliveries.open')}</a>
              </p>
            </LazyFragment>
          </details>
        </li>
      );
    })}
  </ul>
);

/** As fields of forms have times: minutes, in UTC. */
const fieldTime = (time: number): string => new Date(time).toISOString().slice(0, 16);
const minute = 60_000;

/** Sends what failed, or everything, of a time range again. */
const Range = ({ pageContext, hook, deliveries }: DeliveriesProps): VNode => (
  <details class="mb-3">
    <summary>{t('range.title')}</summary>
    <form
      class="d-flex flex-wrap flex-items-end gap-2 mt-2"
      method="post"
      action={`${pageContext.base}/${hook.id}/redeliver`}
    >
      <Csrf />
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

/** What a hook has sent, the newest first. */
async function showDeliveries<S>(pages: LevelPages<S>, context: RouteContext<S>, hook: Hook, error?: Problem) {
  const { history, kinds, perPage } = pages.deps;
  const { page } = context.page;
  const pageContext = pages.pageContext(context);
  const { items, total } = await history.list(hook.id, { limit: perPage, offset: (page - 1) * perPage });
  const trouble = await troubleOf(history, hook);
  const body = (
    <HookFrame pageContext={pageContext} hook={hook} kinds={kinds} active="deliveries">
      <Trouble pageContext={pageContext} hook={hook} {...trouble} />
      <Deliveries pageContext={pageContext} hook={hook} deliveries={items} />
      <Pager page={page} last={lastPage(total, perPage)} href={(to) => `?page=${to}`} />
    </HookFrame>
  );
  return pages.page(context, t.later('deliveries.title'), body, error);
}

const Deliveries = (props: DeliveriesProps): VNode => (
  <>
    {props.pageContext.isRepository ? (
      <PostButton action={`${props.pageContext.base}/${props.hook.id}/test`} class="btn" formClass="mb-3">
        {t('deliveries.test')}
      </PostButton>
    ) : null}
    {props.deliveries.length > 0 ? (
      <>
        <DeliveryList {...props} />
        <Range {...props} />
      </>
    ) : (
      <p class="color-fg-muted">{t('deliveries.none')}</p>
    )}
  </>
);

/** A refusal is shown above the list. */
async function orList<S>(
  pages: LevelPages<S>,
  context: RouteContext<S>,
  hook: Hook,
  work: () => Promise<unknown>,
): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    if (!Problem.is(error) || error.code !== 'invalid') throw error;
    return showDeliveries(pages, contextWith(context, { payload: {} }), hook, error);
  }
}

export const deliveriesPage = <S,>(pages: LevelPages<S>): Route =>
  pages.hookRoute('GET', '/deliveries', (context, hook) => showDeliveries(pages, context, hook));

/** Sends a push as a trial, at levels with one repository. */
export function testHook<S>(pages: LevelPages<S>): readonly Route[] {
  const { testDelivery, base } = pages.level;
  if (!testDelivery) return [];
  const test = pages.hookRoute('POST', '/test', (context, hook) =>
    orList(pages, context, hook, async () => {
      if (!hook.active) throw Invalid(t.later('error.testOff'));
      if (!(await testDelivery(context, hook))) throw Invalid(t.later('error.testEmpty'));
      return reply.redirect(`${base(context)}/${hook.id}/deliveries`);
    }),
  );
  return [test];
}

/** Tries the waiting deliveries now. */
export const wakeHook = <S,>(pages: LevelPages<S>): Route =>
  pages.hookRoute('POST', '/wake', async (context, hook) => {
    await pages.deps.queue.wake(hook.id);
    return reply.redirect(`${pages.level.base(context)}/${hook.id}/deliveries`);
  });

/** Sends the deliveries of a time range again. */
export const redeliverRange = <S,>(pages: LevelPages<S>): Route =>
  pages.hookRoute('POST', '/redeliver', (context, hook) => {
    const values = context.payload as Readonly<Record<string, unknown>>;
    // fields of the page are without a zone
    const timeIn = (name: string) => (typeof values[name] === 'string' ? `${values[name].slice(0, 30)}Z` : '');
    return orList(pages, context, hook, async () => {
      const range = rangeOf({ since: timeIn('since'), before: timeIn('before'), all: values.all === 'true' });
      const count = await pages.deps.webhooks.redeliverRange(hook.id, range);
      return reply.redirect(`${pages.level.base(context)}/${hook.id}/deliveries?again=${count}`);
    });
  });
