import type { VNode } from 'preact';
import {
  pageRoute,
  formRoute,
  formText,
  lastPage,
  listHref,
  type Flash,
  type FormValues,
  type Route,
  type RouteContext,
} from '@mortise/plugin-sdk';
import type { ActionScope } from '../../contract/scopes.js';
import { settingsPage, type SettingsLevel } from './level.js';

/** A page of a list, and what was sent and refused. */
export interface NamedListProps<T> {
  readonly base: string;
  readonly csrf: string;
  readonly items: readonly T[];
  readonly page: number;
  readonly last: number;
  readonly sent?: FormValues | undefined;
}

/** Things of one level that have names: secrets, variables. */
interface NamedList<T> {
  readonly key: 'secrets' | 'variables';
  readonly store: {
    list(
      scope: ActionScope,
      page: { readonly limit: number; readonly offset: number },
    ): Promise<{ readonly items: readonly T[]; readonly total: number }>;
    remove(scope: ActionScope, name: string): Promise<unknown>;
  };
  /** Takes the form of a new or changed one. */
  save(scope: ActionScope, values: FormValues): Promise<unknown>;
  readonly View: (props: NamedListProps<T>) => VNode;
}

/** Their list, which is added to, and taken from by name. */
export function namedListPages<S, T>(level: SettingsLevel<S>, { key, store, save, View }: NamedList<T>): Route[] {
  const path = `${level.path}/${key}`;
  const { access } = level;
  const baseOf = (context: RouteContext<S>) => `${level.base(context)}/${key}`;
  const show = async (context: RouteContext<S>, sent?: FormValues, flash?: Flash) => {
    const { page, limit, offset } = context.page;
    const { items, total } = await store.list(level.scopeOf(context), { limit, offset });
    const props = { base: baseOf(context), csrf: context.csrf, items, page, last: lastPage(total, limit), sent };
    return settingsPage(level, context, key, <View {...props} />, flash);
  };
  return [
    pageRoute<S>(path, access, (context) => show(context)),
    formRoute<S>(
      path,
      access,
      async (context, values) => {
        await save(level.scopeOf(context), values);
        return `${baseOf(context)}?saved=1`;
      },
      show,
    ),
    formRoute<S>(
      `${path}/delete`,
      access,
      async (context, values) => {
        const name = formText(values, 'name', 300);
        await store.remove(level.scopeOf(context), name);
        return listHref(baseOf(context), { deleted: name });
      },
      show,
    ),
  ];
}
