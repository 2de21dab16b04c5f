import type { ComponentChildren, VNode } from 'preact';
import {
  icon,
  Invalid,
  Joi,
  listHref,
  pageRoute,
  postRoute,
  Problem,
  reply,
  Section,
  textOf,
  type Route,
  type RouteContext,
} from '@mortise/plugin-sdk';
import type { CreateHookOption, Hook } from '../contract/webhooks.js';
import type { WebhookKind } from '../api.js';
import type { SentRequest } from '../models/delivery.js';
import { previewRequest } from '../services/request-preview.js';
import { t } from '../texts/index.js';
import { Preview } from './delivery.js';
import { eventsOf } from './event-fields.js';
import { HookFrame, Trouble, troubleOf } from './hook-frame.js';
import { HookForm } from './hook-form.js';
import type { LevelPages } from './level-pages.js';

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
    events: eventsOf(payload),
    branch_filter: text('branch_filter'),
    active: payload.active === 'true',
    ...(text('authorization_header') || payload.authorization_remove === 'true'
      ? { authorization_header: text('authorization_header') }
      : {}),
  };
}

interface EditedHook {
  readonly kind: WebhookKind;
  /** Undefined: a new one. */
  readonly hook?: Hook;
}

interface Sent {
  readonly error?: Problem;
  readonly preview?: { readonly request: SentRequest | undefined };
}

const NewHook = ({ kind, children }: { kind: WebhookKind; children: ComponentChildren }): VNode => (
  <Section
    title={
      <>
        {icon(kind.icon ?? 'webhook', { size: 24 })} {t('form.new', { kind: textOf(kind.label) })}
      </>
    }
  >
    {children}
  </Section>
);

/** The form of a hook; `sent` says why it is shown again with what was typed. */
async function showForm<S>(
  pages: LevelPages<S>,
  context: RouteContext<S>,
  { kind, hook }: EditedHook,
  sent: Sent = {},
) {
  const { history, names, kinds } = pages.deps;
  const payload = sent.error || sent.preview ? (context.payload as Record<string, unknown>) : undefined;
  const fields = payload && Object.fromEntries(Object.entries(payload).map(([name, value]) => [name, String(value)]));
  const pageContext = pages.pageContext(context);
  const form = (
    <>
      <HookForm pageContext={pageContext} kind={kind} events={names.offered()} hook={hook} sent={fields} />
      {sent.preview ? <Preview request={sent.preview.request} /> : null}
    </>
  );
  const body = hook ? (
    <HookFrame pageContext={pageContext} hook={hook} kinds={kinds} active="settings">
      <Trouble pageContext={pageContext} hook={hook} {...await troubleOf(history, hook)} />
      {form}
    </HookFrame>
  ) : (
    <NewHook kind={kind}>{form}</NewHook>
  );
  return pages.page(context, t.later('form.page'), body, sent.error);
}

const stored = <S,>({ deps }: LevelPages<S>, hook: Hook): EditedHook => ({ kind: deps.kinds.need(hook.kind), hook });

/** A refusal is shown on the form with what was typed. */
async function orForm<S>(
  pages: LevelPages<S>,
  context: RouteContext<S>,
  shown: EditedHook,
  work: () => Promise<unknown>,
): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    if (!Problem.is(error) || error.code !== 'invalid') throw error;
    return showForm(pages, context, shown, { error });
  }
}

/** The form again with what it would send, where that was asked for; else does `save`. */
const previewOr = async <S,>(
  pages: LevelPages<S>,
  context: RouteContext<S>,
  shown: EditedHook,
  save: () => Promise<unknown>,
): Promise<unknown> => {
  const { deps, level } = pages;
  const { kind, hook } = shown;
  const values = context.payload as Record<string, unknown>;
  if (values.preview !== '1' || !level.sample) return save();
  const event = await level.sample(context);
  if (!event) return showForm(pages, context, shown, { error: Invalid(t.later('error.testEmpty')) });
  const option = { type: kind.key, ...optionOf(kind, values) };
  const request = await previewRequest({ hooks: deps.webhooks.hooks, kinds: deps.kinds }, event, {
    owner: level.hookOwner(context),
    option,
    ...(hook && { hook }),
  });
  return showForm(pages, context, shown, { preview: { request } });
};

const typeQuery = Joi.object<{ readonly type: string }>({ type: Joi.string().default('mortise') }).unknown();

export const newHookPage = <S,>(pages: LevelPages<S>): Route =>
  pageRoute(
    `${pages.level.path}/new`,
    pages.level.access,
    (context) => showForm(pages, context, { kind: pages.deps.kinds.need(context.query.type) }),
    { params: Joi.object<object>(pages.level.params), query: typeQuery },
  );

export const createHook = <S,>(pages: LevelPages<S>): Route =>
  postRoute(
    `${pages.level.path}/new`,
    pages.level.access,
    (context) => {
      const { kinds, webhooks } = pages.deps;
      const kind = kinds.need(context.query.type);
      const save = async () => {
        const option = { type: kind.key, ...optionOf(kind, context.payload) };
        const hook = await webhooks.hooks.create(pages.level.hookOwner(context), option, context.actor);
        return reply.redirect(`${pages.level.base(context)}/${hook.id}`);
      };
      return orForm(pages, context, { kind }, () => previewOr(pages, context, { kind }, save));
    },
    { params: Joi.object<object>(pages.level.params), query: typeQuery },
  );

export const hookPage = <S,>(pages: LevelPages<S>): Route =>
  pages.hookRoute('GET', '', (context, hook) => showForm(pages, context, stored(pages, hook)));

export const editHook = <S,>(pages: LevelPages<S>): Route =>
  pages.hookRoute('POST', '', (context, hook) => {
    const shown = stored(pages, hook);
    const save = async () => {
      const option = optionOf(shown.kind, context.payload as Record<string, unknown>);
      await pages.deps.webhooks.hooks.edit(hook, option);
      return reply.redirect(`${pages.level.base(context)}/${hook.id}?saved=1`);
    };
    return orForm(pages, context, shown, () => previewOr(pages, context, shown, save));
  });

export const deleteHook = <S,>(pages: LevelPages<S>): Route =>
  pages.hookRoute('POST', '/delete', async (context, hook) => {
    await pages.deps.webhooks.hooks.delete(hook);
    return reply.redirect(listHref(pages.level.base(context), { deleted: hook.name || hook.url }));
  });
