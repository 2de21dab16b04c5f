import type { VNode } from 'preact';
import {
  defineRoute,
  Joi,
  refusedFlash,
  savedFlash,
  type Access,
  type Flash,
  type PageOptions,
  type Problem,
  type Route,
  type RouteContext,
  type TabsProps,
  type Text,
  type WebPage,
} from '@mortise/plugin-sdk';
import type { Hook, HookEvent, HookOwner } from '../contract/webhooks.js';
import type { HookDispatcher } from '../services/hook-dispatcher.js';
import type { EventNames } from '../services/event-names.js';
import type { DeliveryHistory } from '../services/delivery-history.js';
import type { DeliveryQueue } from '../services/delivery-queue.js';
import type { Kinds } from '../services/webhook-kinds.js';
import { t } from '../texts/index.js';

export interface HookPageDeps {
  readonly webhooks: HookDispatcher;
  readonly history: DeliveryHistory;
  readonly queue: DeliveryQueue;
  readonly names: EventNames;
  readonly kinds: Kinds;
  /** Deliveries on one page. */
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

/** Where the pages lie, for instance `/alice/tool/settings/hooks`, with the site's path. */
export interface HookPageContext {
  readonly base: string;
  /** The kind of place has branches to filter and pushes to try. */
  readonly isRepository: boolean;
  readonly note?: Text;
  readonly tabs?: Pick<TabsProps, 'entries' | 'active'>;
}

interface HookParams {
  readonly id: number;
}
type DeliveryParams = HookParams & { readonly delivery: number };

const idParam = Joi.number().integer().min(1).required();

/** What was done before the page was opened. */
function flashOf(query: object): Flash | undefined {
  const { again } = query as { readonly again?: unknown };
  if (typeof again !== 'string' || !/^\d{1,4}$/.test(again)) return savedFlash(query);
  return { kind: 'success', text: t.later('range.done', { count: Number(again) }) };
}

/** What the pages of one level have in common: their frame, their addresses, and the hooks that belong to it. */
export class LevelPages<S> {
  readonly deps: HookPageDeps;
  readonly level: PageLevel<S>;

  constructor(deps: HookPageDeps, level: PageLevel<S>) {
    this.deps = deps;
    this.level = level;
  }

  pageContext(context: RouteContext<S>): HookPageContext {
    const { level } = this;
    return {
      base: level.base(context),
      isRepository: level.testDelivery !== undefined,
      note: level.note,
      tabs: level.tabs,
    };
  }

  page(context: RouteContext<S>, title: Text, body: VNode, error?: Problem): WebPage | Promise<WebPage> {
    return this.level.frame(context, {
      title,
      body,
      ...(error ? { status: 422, flash: refusedFlash(error) } : { flash: flashOf(context.query as object) }),
    });
  }

  /** A route of one hook; `path` follows the address of the hook. */
  hookRoute(
    method: 'GET' | 'POST',
    path: string,
    handler: (context: RouteContext<S>, hook: Hook) => Promise<unknown>,
  ): Route {
    return defineRoute({
      method,
      path: `${this.level.path}/{id}${path}`,
      surface: 'page',
      access: this.level.access,
      ...(method === 'POST' && { payload: { as: 'form' } }),
      request: { params: Joi.object<HookParams>({ ...this.level.params, id: idParam }) },
      handler: async (context) => handler(context, await this.#hookOf(context)),
    });
  }

  /** A route of one delivery of a hook; `path` follows the address of the delivery. */
  deliveryRoute(
    method: 'GET' | 'POST',
    path: string,
    handler: (context: RouteContext<S>, hook: Hook, deliveryId: number) => Promise<unknown>,
  ): Route {
    return defineRoute({
      method,
      path: `${this.level.path}/{id}/deliveries/{delivery}${path}`,
      surface: 'page',
      access: this.level.access,
      ...(method === 'POST' && { payload: { as: 'form' } }),
      request: { params: Joi.object<DeliveryParams>({ ...this.level.params, id: idParam, delivery: idParam }) },
      handler: async (context) => handler(context, await this.#hookOf(context), context.params.delivery),
    });
  }

  #hookOf(context: RouteContext<S, HookParams>): Promise<Hook> {
    return this.deps.webhooks.hooks.get(this.level.hookOwner(context), context.params.id);
  }
}
