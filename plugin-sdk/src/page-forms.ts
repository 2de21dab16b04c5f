import { Problem } from './errors.js';
import { reply } from './reply.js';
import {
  defineRoute,
  type Access,
  type PageOptions,
  type RequestSchemas,
  type Route,
  type RouteContext,
} from './http.js';
import { Joi } from './joi.js';
import type { ParamsOf, PayloadOf, QueryOf } from './route-types.js';
import { t } from './texts/index.js';

/** The fields of a form as they were sent; of a name that is sent twice all values. */
export type FormValues = Readonly<Record<string, string | readonly string[] | undefined>>;
export type Flash = NonNullable<PageOptions['flash']>;

const anyForm = Joi.object().unknown();

/** One text of a form, at most so long; of several with one name the first. Empty for what a body of JSON may hold else. */
export function formText(values: FormValues, name: string, max = 2048): string {
  const given: unknown = values[name];
  const first: unknown = Array.isArray(given) ? given[0] : given;
  return typeof first === 'string' ? first.slice(0, max).trim() : '';
}

/** The id that a text stands for; 0, which nothing has, for anything else: databases take no `NaN`. */
export function toId(text: unknown): number {
  const id = Number(text);
  return Number.isSafeInteger(id) && id > 0 ? id : 0;
}

/** The id in a field of a form, as {@link toId}. */
export const formId = (values: FormValues, name: string): number => toId(formText(values, name));

/** Is the box of this name ticked? It sends `on`. */
export const isChecked = (values: FormValues, name: string): boolean => formText(values, name) === 'on';

/** What the page of a refused form says on top; throws what is no refusal. */
export function refusedFlash(error: unknown): Flash {
  if (!Problem.is(error)) throw error;
  return {
    kind: 'error',
    text: error.text,
    fields: error.inputs,
    // Only the server's own state is told apart: it may work when it is sent again.
    ...(error.status >= 500 && { status: error.status }),
  };
}

/** Status of a page that shows a form, again or for the first time. */
export const formStatus = (flash?: Flash): number => (flash?.kind === 'error' ? (flash.status ?? 422) : 200);

/** What `?saved=…` of the address says that a form leads to, or `?deleted=NAME` after something was deleted. */
export function savedFlash(of: object): Flash | undefined {
  const query = of as { readonly saved?: unknown; readonly deleted?: unknown };
  if (typeof query.deleted === 'string' && query.deleted)
    return { kind: 'success', text: t.later('form.deleted', { name: query.deleted.slice(0, 255) }) };
  return query.saved === undefined || query.saved === '0'
    ? undefined
    : { kind: 'success', text: t.later('form.saved') };
}

/**
 * The context with some of it changed. A spread in its place would lose what is made when it is asked for, such as
 * `page`.
 */
export const contextWith = <C extends object>(context: C, changes: Partial<C>): C =>
  Object.create(context, Object.getOwnPropertyDescriptors(changes)) as C;

/** A page: `show` gives it. Without `request` the query comes as it was sent. The forms on it go to {@link formRoute}. */
export const pageRoute = <S, const Path extends string = string, R extends RequestSchemas = RequestSchemas>(
  path: Path,
  access: Access<S>,
  show: (context: RouteContext<S, ParamsOf<Path, R>, QueryOf<R>>) => unknown,
  request?: R,
): Route => defineRoute<S, Path, R>({ method: 'GET', path, surface: 'page', access, request, handler: show });

/**
 * The page is made once for all who are not signed in and carry no cookie, and again when something changes from which it
 * was made: tables, references of repositories, who may see it. It depends on nothing else but its address, the language
 * and, to ten seconds, the time. A page with a form that needs a token is made each time.
 */
export const cachedForVisitors = (page: Route): Route => ({ ...page, isCachedForVisitors: true });

/** Takes a form of a page: `handle` answers by itself, where {@link formRoute} would say too little. */
export const postRoute = <S, const Path extends string = string, R extends RequestSchemas = RequestSchemas>(
  path: Path,
  access: Access<S>,
  handle: (context: RouteContext<S, ParamsOf<Path, R>, QueryOf<R>, PayloadOf<R, { as: 'form' }>>) => unknown,
  request?: R,
): Route =>
  defineRoute<S, Path, R, { as: 'form' }>({
    method: 'POST',
    path,
    surface: 'page',
    payload: { as: 'form' },
    access,
    request,
    handler: handle,
  });

/** Takes a form: `run` gives the address that it leads to; what is refused `again` shows, with the reason. */
export const formRoute = <S>(
  path: string,
  access: Access<S>,
  run: (context: RouteContext<S>, values: FormValues) => Promise<string>,
  again: (context: RouteContext<S>, values: FormValues, flash: Flash) => unknown,
  payload: Route['payload'] = { as: 'form' },
): Route =>
  defineRoute<S>({
    method: 'POST',
    path,
    surface: 'page',
    payload,
    request: { payload: anyForm },
    access,
    async handler(context) {
      const values = context.payload as FormValues;
      let to: string;
      try {
        to = await run(context, values);
      } catch (error) {
        return again(context, values, refusedFlash(error));
      }
      return reply.redirect(to);
    },
  });
