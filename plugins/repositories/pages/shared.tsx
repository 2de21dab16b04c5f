import { Joi, Problem, defineRoute, reply, type Access, type Route, type RouteContext } from '@mortise/plugin-sdk';
import {
  repositorySubject,
  type Repository,
  type RepositoryContext,
  type RepositoryPlace,
  type UnitKey,
} from '../api.js';
import type { RouteServices } from '../routes/shared.js';
import type { Layout } from './layout.js';

/** What the pages of this plugin work with. */
export interface PageServices extends RouteServices {
  readonly layout: Layout;
}

export type Values = Readonly<Record<string, string | readonly string[] | undefined>>;
export type Flash = { readonly kind: 'success' | 'error' | 'info'; readonly text: string };
export type RepositoryRoute = RouteContext<RepositoryContext>;

const form = Joi.object().unknown();
export const administer = { actor: 'user', subject: repositorySubject, mode: 'admin' } as const;

export const unitLabels: Readonly<Record<UnitKey, string>> = {
  code: 'Code',
  issues: 'Issues',
  pulls: 'Pull requests',
  releases: 'Releases',
  wiki: 'Wiki',
  projects: 'Projects',
  packages: 'Packages',
  actions: 'Actions',
};

export const place = ({ subject, actor, csrf }: RepositoryRoute): RepositoryPlace => ({
  context: subject,
  actor,
  csrf,
});

/** One text of a form; of several with one name the first. */
export function textOf(values: Values, name: string, most = 2048): string {
  const given = values[name];
  return (typeof given === 'string' ? given : (given?.[0] ?? '')).slice(0, most).trim();
}
export const isOn = (values: Values, name: string) => textOf(values, name) === 'on';

/** What a refused form shows again, with the reason on top. */
export function refused(error: unknown): Flash {
  if (!Problem.is(error)) throw error;
  return { kind: 'error', text: error.message };
}

export const statusOf = (flash?: Flash) => (flash?.kind === 'error' ? 422 : 200);

/** `?saved=…` of the address that a form leads to. */
export const savedFlash = (query: { saved?: string }): Flash | undefined =>
  query.saved ? { kind: 'success', text: 'Saved.' } : undefined;

export const pathOf = (services: PageServices, repository: Repository) =>
  services.site.path(`/${repository.ownerName}/${repository.name}`);

/** Takes a form: `run` gives the address that it leads to; what is refused `again` shows, with the reason. */
export const formRoute = <S,>(
  path: string,
  access: Access<S>,
  run: (context: RouteContext<S>, values: Values) => Promise<string>,
  again: (context: RouteContext<S>, values: Values, flash: Flash) => unknown,
  payload: Route['payload'] = { as: 'form' },
): Route =>
  defineRoute<S>({
    method: 'POST',
    path,
    surface: 'page',
    payload,
    request: { payload: form },
    access,
    async handler(context) {
      const values = context.payload as Values;
      let to: string;
      try {
        to = await run(context, values);
      } catch (error) {
        return again(context, values, refused(error));
      }
      return reply.redirect(to);
    },
  });
