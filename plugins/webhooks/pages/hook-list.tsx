import type { VNode } from 'preact';
import {
  Blankslate,
  pageRoute,
  icon,
  Joi,
  lastPage,
  Menu,
  Pager,
  Section,
  Tabs,
  textOf,
  type Route,
} from '@mortise/plugin-sdk';
import type { Hook } from '../contract/webhooks.js';
import type { WebhookKind } from '../api.js';
import type { Kinds } from '../services/webhook-kinds.js';
import { t } from '../texts/index.js';
import type { HookPageContext, LevelPages } from './level-pages.js';

const stateIcons = {
  none: ['dot', 'color-fg-muted'],
  succeeded: ['check', 'color-fg-success'],
  failed: ['x', 'color-fg-danger'],
} as const;

/** A new webhook of each kind. */
const AddMenu = ({ base, kinds }: { base: string; kinds: readonly WebhookKind[] }): VNode => (
  <Menu button={t('list.add')} class="btn btn-primary btn-sm">
    {kinds.map((kind) => (
      <a key={kind.key} href={`${base}/new?type=${encodeURIComponent(kind.key)}`}>
        {icon(kind.icon ?? 'webhook')} {textOf(kind.label)}
      </a>
    ))}
  </Menu>
);

/** All hooks of a place, by name or address (HOK-03). */
function HookList({
  pageContext,
  hooks,
  kinds,
  page,
  last,
}: {
  pageContext: HookPageContext;
  hooks: readonly Hook[];
  kinds: Kinds;
  page: number;
  last: number;
}): VNode {
  return (
    <Section title={t('list.title')} actions={<AddMenu base={pageContext.base} kinds={kinds.list()} />}>
      {pageContext.tabs ? <Tabs label={t('list.title')} {...pageContext.tabs} /> : null}
      <p class="color-fg-muted">{pageContext.note ? textOf(pageContext.note) : t('list.note')}</p>
      {hooks.length > 0 ? (
        <ul class="Box list-style-none mb-3">
          {hooks.map((hook) => {
            const [name, colour] = stateIcons[hook.lastStatus];
            const kind = kinds.find(hook.kind);
            return (
              <li key={hook.id} class="Box-row d-flex flex-items-center">
                <span class={`mr-2 ${colour}`}>{icon(name, { label: t(`status.${hook.lastStatus}`) })}</span>
                <a class="list-main" href={`${pageContext.base}/${hook.id}`}>
                  {hook.name || hook.url}
                </a>
                {hook.creatorLeftAt ? <span class="Label Label--warning mr-2">{t('list.departed')}</span> : null}
                <span class="Label mr-2">
                  {icon(kind?.icon ?? 'webhook')} {kind ? textOf(kind.label) : hook.kind}
                </span>
                {hook.active ? null : <span class="Label Label--secondary">{t('list.inactive')}</span>}
              </li>
            );
          })}
        </ul>
      ) : (
        <Blankslate level={3} title={t('list.none')} icon="webhook" />
      )}
      <Pager page={page} last={last} href={(to) => `?page=${to}`} />
    </Section>
  );
}

/** The list of a level's hooks. */
export const hookListPage = <S,>(pages: LevelPages<S>): Route =>
  pageRoute(
    pages.level.path,
    pages.level.access,
    async (context) => {
      const { webhooks, kinds } = pages.deps;
      const { page, limit, offset } = context.page;
      const { items, total } = await webhooks.hooks.list(pages.level.hookOwner(context), { limit, offset });
      const body = (
        <HookList
          pageContext={pages.pageContext(context)}
          hooks={items}
          kinds={kinds}
          page={page}
          last={lastPage(total, limit)}
        />
      );
      return pages.page(context, t.later('list.title'), body);
    },
    { params: Joi.object<object>(pages.level.params) },
  );
