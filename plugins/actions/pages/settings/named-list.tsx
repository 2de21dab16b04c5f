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
  type WebPage,
} from '@mortise/plugin-sdk';
import type { ActionScope } from '../../contract/scopes.js';
import { settingsPage, type SettingsLevel } from './level.js';

/** A page of a list, and what was sent and refused. */
export interface NamedListProps<T> {
  readonly base: string;
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

/** Where such a list stands, and what frames its pages. */
export interface ListPlace<S> extends Pick<SettingsLevel<S>, 'path' | 'access' | 'base'> {
  scopeOf(context: RouteContext<S>): ActionScope | Promise<ActionScope>;
  frame(context: RouteContext<S>, body: VNode, flash: Flash | undefined): WebPage | Promise<WebPage>;
}

/** A page of the settings of one level. */
export const levelPlace = <S,>(level: SettingsLevel<S>, key: NamedList<unknown>['key']): ListPlace<S> => ({
  ...level,
  frame: (context, body, flash) => settingsPage(level, context, key, body, flash),
});

/** Their list, which is added to, and taken from by name. */
export function namedListPages<S, T>(place: ListPlace<S>, { key, store, save, View }: NamedList<T>): Route[] {
  const path = `${place.path}/${key}`;
  const { access } = place;
  const baseOf = (context: RouteContext<S>) => `${place.base(context)}/${key}`;
  const show = async (context: RouteContext<S>, sent?: FormValues, flash?: Flash) => {
    const { page, limit, offset } = context.page;
    const { items, total } = await store.list(await place.scopeOf(context), { limit, offset });
    const props = { base: baseOf(context), items, page, last: lastPage(total, limit), sent };
    return place.frame(context, <View {...props} />, flash);
  };
  return [
    pageRoute<S>(path, access, (context) => show(context)),
    formRoute<S>(
      path,
      access,
      async (context, values) => {
        await save(await place.scopeOf(context), values);
        return `${baseOf(context)}?saved=1`;
      },
      show,
    ),
    formRoute<S>(
      `${path}/delete`,
      access,
      async (context, values) => {
        const name = formText(values, 'name', 300);
        await store.remove(await place.scopeOf(context), name);
        return listHref(baseOf(context), { deleted: name });
      },
      show,
    ),
  ];
}
