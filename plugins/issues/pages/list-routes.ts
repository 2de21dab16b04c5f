import {
  contextWith,
  defineRoute,
  Forbidden,
  formRoute,
  formText,
  NotFound,
  postRoute,
  reply,
  toId,
  type Flash,
  type FormValues,
  type Route,
} from '@mortise/plugin-sdk';
import { mustBeActive, repositoryResource } from '@mortise/repositories/api';
import { unitOf } from '../api.js';
import { externalTracker } from '../services/external-tracker.js';
import { updateIssues } from './bulk-edit.js';
import { listPage } from './list.js';
import { fieldsOf, parseQuery } from './list-query.js';
import { repositoryPathOf, type ListContext, type PageDeps } from './page-context.js';
import { t } from '../texts/index.js';

const kinds = [
  ['issues', false],
  ['pulls', true],
] as const;

/** A query that was sent with a form, without what no list knows. */
export const preservedQuery = (text: string, tabs?: readonly string[]): string =>
  new URLSearchParams(fieldsOf(parseQuery(Object.fromEntries(new URLSearchParams(text)), tabs))).toString();

/** The list of issues of a repository; bulk changes and kept filters of both kinds. */
export function listRoutes(deps: PageDeps): Route[] {
  const { site, filters } = deps;
  const isPullIn = (values: FormValues) => formText(values, 'type') === 'pulls';
  const pathOf = ({ resource: { repository } }: ListContext, isPull: boolean) =>
    `${repositoryPathOf(site, repository)}/${isPull ? 'pulls' : 'issues'}`;
  const again = (isPull: boolean) => (context: ListContext, _values: FormValues, flash: Flash) =>
    listPage(deps, contextWith(context, { query: {} }), { isPull, flash });
  const write = { actor: 'user', resource: repositoryResource, unit: ['issues', 'pulls'], mode: 'write' } as const;

  return [
    defineRoute({
      method: 'GET',
      path: '/{owner}/{repo}/issues',
      surface: 'page',
      // a tracker elsewhere switches the issues here off: the unit is asked for below
      access: { actor: 'anyone', resource: repositoryResource, expensive: true },
      handler(context) {
        const elsewhere = externalTracker(context.resource.repository);
        if (elsewhere) return reply.redirect(elsewhere);
        if (!context.resource.may('read', 'issues')) throw NotFound(t.later('error.unitOff'));
        return listPage(deps, context, { isPull: false });
      },
    }),
    formRoute(
      '/{owner}/{repo}/issues/bulk',
      write,
      async (context, values) => {
        const isPull = isPullIn(values);
        const { resource } = context;
        if (!resource.may('write', unitOf({ isPull }))) throw notAllowed();
        mustBeActive(resource);
        await updateIssues(deps, context, values, isPull);
        const query = preservedQuery(formText(values, 'query'));
        return `${pathOf(context, isPull)}${query ? `?${query}` : ''}`;
      },
      (context, values, flash) => again(isPullIn(values))(context, values, flash),
    ),
    ...kinds.flatMap(([path, isPull]) => {
      const access = { actor: 'user', resource: repositoryResource, unit: path } as const;
      const of = ({ actor, resource }: ListContext) => ({
        userId: actor.id,
        repositoryId: resource.repository.id,
        isPull,
      });
      return [
        formRoute(
          `/{owner}/{repo}/${path}/filters`,
          access,
          async (context, values) => {
            const query = preservedQuery(formText(values, 'query'));
            await filters.save(of(context), formText(values, 'name', 100), query);
            return `${pathOf(context, isPull)}${query ? `?${query}` : ''}`;
          },
          again(isPull),
        ),
        postRoute(`/{owner}/{repo}/${path}/filters/{id}/delete`, access, async (context) => {
          await filters.delete(context.actor.id, toId(context.params.id));
          return reply.redirect(pathOf(context, isPull));
        }),
      ];
    }),
  ];
}

const notAllowed = () => Forbidden(t.later('error.needs', { mode: 'write' }));
