import type { ComponentChildren, VNode } from 'preact';
import {
  savedFlash,
  Tabs,
  type Access,
  type Flash,
  type PageOptions,
  type RouteContext,
  type Text,
  type WebPage,
} from '@mortise/plugin-sdk';
import type { ActionScope, ScopedRepository } from '../../contract/scopes.js';
import { t } from '../../texts/index.js';

export const settingsPages = ['general', 'runners', 'secrets', 'variables', 'scoped-workflows'] as const;
type SettingsPageKey = (typeof settingsPages)[number] | 'runs' | 'environments';

/** Where settings of Actions hang: whose they are, and what frames their pages. */
export interface SettingsLevel<S> {
  readonly key: 'repository' | 'user' | 'organization' | 'site';
  /** Route path above the pages, for instance `/user/settings/actions`. */
  readonly path: string;
  readonly access: Access<S>;
  /** Pages of this level, in their order. */
  readonly pages: readonly SettingsPageKey[];
  scopeOf(context: RouteContext<S>): ActionScope;
  /** Whose jobs it is about; `id` 0: of all repositories of the owner. */
  placeOf(context: RouteContext<S>): ScopedRepository;
  /** Address above the pages. */
  base(context: RouteContext<S>): string;
  frame(
    context: RouteContext<S>,
    options: { title: Text; body: VNode } & Pick<PageOptions, 'status' | 'flash' | 'islands'>,
  ): WebPage | Promise<WebPage>;
}

const labels = {
  general: t.later('settings.general'),
  environments: t.later('settings.environments'),
  runners: t.later('settings.runners'),
  runs: t.later('settings.runs'),
  secrets: t.later('settings.secrets'),
  variables: t.later('settings.variables'),
  'scoped-workflows': t.later('settings.scoped'),
} as const;

const Frame = ({
  base,
  pages,
  active,
  children,
}: {
  readonly base: string;
  readonly pages: readonly SettingsPageKey[];
  readonly active: SettingsPageKey;
  readonly children: ComponentChildren;
}): VNode => (
  <div>
    <Tabs
      label={t('settings.title')}
      active={active}
      entries={pages.map((key) => ({ key, label: labels[key], href: `${base}/${key}` }))}
    />
    {children}
  </div>
);

/** One of the pages with the tabs that lead to the others. */
export const settingsPage = <S,>(
  level: SettingsLevel<S>,
  context: RouteContext<S>,
  active: SettingsPageKey,
  body: VNode,
  flash: Flash | undefined = savedFlash(context.query as object),
  islands?: readonly string[],
): WebPage | Promise<WebPage> =>
  level.frame(context, {
    title: labels[active],
    body: (
      <Frame base={level.base(context)} pages={level.pages} active={active}>
        {body}
      </Frame>
    ),
    ...(flash?.kind === 'error' && { status: 422 }),
    flash,
    ...(islands && { islands }),
  });
