import type { VNode } from 'preact';
import {
  contextWith,
  defineRoute,
  Invalid,
  Joi,
  lastPage,
  listHref,
  Problem,
  refusedFlash,
  reply,
  savedFlash,
  type Access,
  type Flash,
  type PageOptions,
  type Route,
  type RouteContext,
  type TabsProps,
  type Text,
  type WebPage,
} from '@mortise/plugin-sdk';
import type { CreateHookOption, Hook, HookEvent, HookOwner, WebhookKind } from '../contract/webhooks.js';
import type { SentRequest } from '../models/delivery.js';
import { rangeOf } from '../routes/hooks.js';
import { previewRequest } from '../services/request-preview.js';
import type { HookDispatcher } from '../services/hook-dispatcher.js';
import type { EventNames } from '../services/event-names.js';
import type { DeliveryHistory } from '../services/delivery-history.js';
import type { DeliveryQueue } from '../services/delivery-queue.js';
import type { Kinds } from '../services/webhook-kinds.js';
import { t } from '../texts/index.js';
import { Deliveries, Delivery, Preview, Overtaken, DeliveryProblem } from './delivery-views.js';
import { HookForm, HookList, type HookPageContext } from './hook-pages.js';

export interface HookPageDeps {
  readonly webhooks: HookDispatcher;
  readonly history: DeliveryHistory;
  readonly queue: DeliveryQueue;
  readonly names: EventNames;
  readonly kinds: Kinds;
  readonly perPage: number;
}

/** A level that has pages: where they lie, whose hooks they show, and what frames them. */
export interface PageLevel<S> {
  /** Route path of the list, for instance `/user/settings/hooks`. */
  readonly path: string;
  readonly params: Readonly<Record<string, Joi.Schema>>;
  readonly access: Access<S>;
  hookOwner(context: RouteContext<S>): HookOwner;
  /** Address of the list. */
  base(context: RouteContext<S>): string;
  frame(
    context: RouteContext<S>,
    options: { title: Text; body: VNode } & Pick<PageOptions, 'status' | 'flash'>,
  ): WebPage | Promise<WebPage>;
  /** What hooks of this level do; default: what a webhook is. */
  readonly note?: Text;
  /** Levels beside this one. */
  readonly tabs?: Pick<TabsProps, 'entries' | 'active'>;
  /** Sends a push as a trial; levels without one repository have none. */
  testDelivery?(context: RouteContext<S>, hook: Hook): Promise<boolean>;
  /** The push of such a trial, to show what would be sent; undefined: there is none. */
  sample?(context: RouteContext<S>): Promise<HookEvent | undefined>;
}

interface HookParams {
  readonly id: number;
}

/** Form fields → the option of the API; empty secrets mean "keep", unless they are to be removed. */
function optionOf(kind: WebhookKind, payload: Record<string, unknown>): Omit<CreateHookOption, 'type'> {
  const text = (name: string) => (typeof payload[name] === 'string' ? payload[name] : '');
  const config: Record<string, string> = { content_type: text('content_type') || 'json' };
  if (!kind.address) config.url = text('url');
  if (text('secret') || payload.secret_remove === 'true') config.secret = text('secret');
  if (text('secret_overlap_hours')) config.secret_overlap_hours = text('secret_overlap_hours');
  for (const { name, type } of kind.settings ?? []) {
    const value = text(`setting_${name}`);
    // an empty password means "keep", and browsers send nothing of a box that is not ticked
    if (type === 'checkbox') config[name] = value === 'true' ? 'true' : 'false';
    else if (type !== 'password' || value) config[name] = value;
  }
  return {
    name: text('name'),
    config,
    // a choice on the form means exactly these, not what the name stands for in the API
    events: exactly([payload.events ?? []].flat().map(String)),
    branch_filter: text('branch_filter'),
    active: payload.active === 'true',
    ...(text('authorization_header') || payload.authorization_remove === 'true'
      ? { authorization_header: text('authorization_header') }
      : {}),
  };
}

/** What was done before the page was opened. */
function flashOf(query: object): Flash | undefined {
  const { again } = query as { readonly again?: unknown };
  if (typeof again !== 'string' || !/^\d{1,4}$/.test(again)) return savedFlash(query);
  return { kind: 'success', text: t.later('range.done', { count: Number(again) }) };
}

const exactly = (events: readonly string[]) =>
  events.map((name) => (name === 'issues' ? 'issues_only' : name === 'pull_request' ? 'pull_request_only' : name));

/** List, form and history of one level's webhooks. */
export function hookPages<S>(deps: HookPageDeps, level: PageLevel<S>): readonly Route[] {
  type Context = RouteContext<S>;
  const { webhooks, history, kinds, names } = deps;
  const { path, params, access, base } = level;
  const id = Joi.number().integer().min(1).required();
  const one = { params: Joi.object<HookParams>({ ...params, id }) };
  const sent = { params: Joi.object<HookParams & { readonly delivery: number }>({ ...params, id, delivery: id }) };

  const ownerOf = (context: Context) => level.hookOwner(context);
  const placeOf = (context: Context): HookPageContext => ({
    base: base(context),
    csrf: context.csrf,
    isRepository: level.testDelivery !== undefined,
    note: level.note,
    tabs: level.tabs,
  });
  const page = (context: Context, title: Text, body: VNode, error?: Problem) =>
    level.frame(context, {
      title,
      body,
      ...(error ? { status: 422, flash: refusedFlash(error) } : { flash: flashOf(context.query as object) }),
    });
  const found = (context: RouteContext<S, HookParams>): Promise<Hook> =>
    webhooks.hooks.get(ownerOf(context), context.params.id);
  const form = async (
    context: Context,
    kind: WebhookKind,
    hook: Hook | undefined,
    error?: Problem,
    preview?: { readonly request: SentRequest | undefined },
  ) => {
    const payload = error || preview ? (context.payload as Record<string, unknown>) : undefined;
    const sentFields =
      payload && Object.fromEntries(Object.entries(payload).map(([name, value]) => [name, String(value)]));
    const hookOwner = placeOf(context);
    return page(
      context,
      t.later('form.page'),
      <>
        {hook?.failingSince ? (
          <DeliveryProblem pageContext={hookOwner} hook={hook} {...await history.queue(hook.id)} />
        ) : null}
        {hook ? <Overtaken count={await history.overtaken(hook.id)} /> : null}
        <HookForm pageContext={hookOwner} kind={kind} events={names.offered()} hook={hook} sent={sentFields} />
        {preview ? <Preview request={preview.request} /> : null}
        {hook ? (
          <Deliveries pageContext={hookOwner} hook={hook} deliveries={await history.list(hook.id, deps.perPage)} />
        ) : null}
      </>,
      error,
    );
  };
  /** A refusal is shown on the form with what was typed. */
  const orForm = async (context: Context, kind: WebhookKind, hook: Hook | undefined, work: () => Promise<unknown>) => {
    try {
      return await work();
    } catch (error) {
      if (!Problem.is(error) || error.code !== 'invalid') throw error;
      return form(context, kind, hook, error);
    }
  };
  /** The form again with what it would send, where that was asked for. */
  const previewed = async (context: Context, kind: WebhookKind, hook?: Hook) => {
    const values = context.payload as Record<string, unknown>;
    if (values.preview !== '1' || !level.sample) return undefined;
    const event = await level.sample(context);
    if (!event) return form(context, kind, hook, Invalid(t.later('error.testEmpty')));
    const given = { type: kind.key, ...optionOf(kind, values) };
    const of = { owner: ownerOf(context), option: given, ...(hook && { hook }) };
    const request = await previewRequest({ hooks: webhooks.hooks, kinds }, event, of);
    return form(context, kind, hook, undefined, { request });
  };
  const typeQuery = Joi.object<{ readonly type: string }>({ type: Joi.string().default('mortise') }).unknown();

  return [
    defineRoute({
      method: 'GET',
      path,
      surface: 'page',
      access,
      request: { params: Joi.object<object>(params) },
      handler: async (context) => {
        const { page: number, limit, offset } = context.page;
        const { items, total } = await webhooks.hooks.list(ownerOf(context), { limit, offset });
        return page(
          context,
          t.later('list.title'),
          <HookList
            pageContext={placeOf(context)}
            hooks={items}
            kinds={kinds.list()}
            page={number}
            last={lastPage(total, limit)}
          />,
        );
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${path}/new`,
      surface: 'page',
      access,
      request: { params: Joi.object<object>(params), query: typeQuery },
      handler: (context) => form(context, kinds.need(context.query.type), undefined),
    }),
    defineRoute({
      method: 'POST',
      path: `${path}/new`,
      surface: 'page',
      access,
      payload: { as: 'form' },
      request: { params: Joi.object<object>(params), query: typeQuery },
      handler: (context) => {
        const kind = kinds.need(context.query.type);
        return orForm(context, kind, undefined, async () => {
          const shown = await previewed(context, kind);
          if (shown) return shown;
          const hook = await webhooks.hooks.create(
            ownerOf(context),
            { type: kind.key, ...optionOf(kind, context.payload) },
            context.actor,
          );
          return reply.redirect(`${base(context)}/${hook.id}`);
        });
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${path}/{id}`,
      surface: 'page',
      access,
      request: one,
      handler: async (context) => {
        const hook = await found(context);
        return form(context, kinds.need(hook.kind), hook);
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${path}/{id}`,
      surface: 'page',
      access,
      payload: { as: 'form' },
      request: one,
      handler: async (context) => {
        const hook = await found(context);
        const kind = kinds.need(hook.kind);
        return orForm(context, kind, hook, async () => {
          const shown = await previewed(context, kind, hook);
          if (shown) return shown;
          await webhooks.hooks.edit(hook, optionOf(kind, context.payload));
          return reply.redirect(`${base(context)}/${hook.id}?saved=1`);
        });
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${path}/{id}/delete`,
      surface: 'page',
      access,
      payload: { as: 'form' },
      request: one,
      handler: async (context) => {
        const hook = await found(context);
        await webhooks.hooks.delete(hook);
        return reply.redirect(listHref(base(context), { deleted: hook.name || hook.url }));
      },
    }),
    ...(level.testDelivery
      ? [
          defineRoute({
            method: 'POST',
            path: `${path}/{id}/test`,
            surface: 'page',
            access,
            payload: { as: 'form' },
            request: one,
            handler: async (context) => {
              const hook = await found(context);
              if (!hook.active) return form(context, kinds.need(hook.kind), hook, Invalid(t.later('error.testOff')));
              if (!(await level.testDelivery!(context, hook)))
                return form(context, kinds.need(hook.kind), hook, Invalid(t.later('error.testEmpty')));
              return reply.redirect(`${base(context)}/${hook.id}`);
            },
          }),
        ]
      : []),
    defineRoute({
      method: 'POST',
      path: `${path}/{id}/wake`,
      surface: 'page',
      access,
      payload: { as: 'form' },
      request: one,
      handler: async (context) => {
        const hook = await found(context);
        await deps.queue.wake(hook.id);
        return reply.redirect(`${base(context)}/${hook.id}`);
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${path}/{id}/redeliver`,
      surface: 'page',
      access,
      payload: { as: 'form' },
      request: one,
      handler: async (context) => {
        const hook = await found(context);
        const kind = kinds.need(hook.kind);
        return orForm(contextWith<Context>(context as Context, { payload: {} }), kind, hook, async () => {
          const values = context.payload as Readonly<Record<string, unknown>>;
          // fields of the page are without a zone
          const timeIn = (name: string) => (typeof values[name] === 'string' ? `${values[name].slice(0, 30)}Z` : '');
          const range = rangeOf({ since: timeIn('since'), before: timeIn('before'), all: values.all === 'true' });
          const count = await webhooks.redeliverRange(hook.id, range);
          return reply.redirect(`${base(context)}/${hook.id}?again=${count}`);
        });
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${path}/{id}/deliveries/{delivery}`,
      surface: 'page',
      access,
      request: sent,
      handler: async (context) => {
        const hook = await found(context);
        const delivery = await history.get(hook.id, context.params.delivery);
        return page(
          context,
          t.later('delivery.page'),
          <Delivery pageContext={placeOf(context)} hook={hook} delivery={delivery} />,
        );
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${path}/{id}/deliveries/{delivery}/redeliver`,
      surface: 'page',
      access,
      payload: { as: 'form' },
      request: sent,
      handler: async (context) => {
        const hook = await found(context);
        const again = await webhooks.redeliver(await history.get(hook.id, context.params.delivery));
        return reply.redirect(`${base(context)}/${hook.id}/deliveries/${again}`);
      },
    }),
  ];
}
