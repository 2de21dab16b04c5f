import { NotFound, type RouteContext, type Site } from '@mortise/plugin-sdk';
import type { Markup } from '@mortise/markup/api';
import type { RepositoryContext, RepositoryPages, RepositoryPlace } from '@mortise/repositories/api';
import type { GitRepository } from '@mortise/git/api';
import type { Actor, MemoryCache, PointReader, Slot } from '@mortise/plugin-sdk';
import type { ComparePlace, FilePlace } from '../api.js';
import type { ContentServices } from '../routes/shared.js';
import { codeSubject } from '../services/go-import.js';
import { placeInPath } from '../services/places.js';
import { cleanPath, type Place } from '../services/reading.js';

export type PageServices = ContentServices & {
  readonly pages: RepositoryPages;
  readonly markup: Markup;
  readonly sidebar: PointReader<Slot<RepositoryPlace>>;
  readonly ssh: PointReader<{ address(path: string): string }>;
  readonly compareActions: PointReader<Slot<ComparePlace>>;
  /** Facts that never change under their key. */
  readonly facts: MemoryCache<unknown>;
};
export type PageContext = RouteContext<RepositoryContext>;

/** Who may open pages of code; `expensive` ones are closed to strangers where the operator says so. */
export const pageAccess = { actor: 'anyone', subject: codeSubject, unit: 'code', expensive: true } as const;
export const writeAccess = { actor: 'user', subject: codeSubject, unit: 'code', mode: 'write' } as const;

export const place = (context: PageContext): RepositoryPlace => ({
  context: context.subject,
  actor: context.actor,
  csrf: context.csrf,
});

/** What a page shows: a point in history, and a path below it. */
export interface View {
  readonly git: GitRepository;
  readonly context: RepositoryContext;
  readonly repository: RepositoryContext['repository'];
  readonly actor: Actor;
  readonly place: Place;
  readonly path: string;
  /** Address of the repository's page. */
  readonly home: string;
}

export const homeOf = (site: Site, { subject: { repository } }: PageContext) =>
  site.path(`/${repository.ownerName}/${repository.name}`);

export function viewOf(services: PageServices, context: PageContext, at: Place, path = ''): View {
  const { repository } = context.subject;
  return {
    git: services.git.open(repository.id),
    context: context.subject,
    repository,
    actor: context.actor,
    place: at,
    path,
    home: homeOf(services.site, context),
  };
}

/** The view that `branch/main/docs/a.md` behind a page's word names. */
export async function openView(services: PageServices, context: PageContext, rest: string): Promise<View> {
  const { repository } = context.subject;
  const git = services.git.open(repository.id);
  if (await git.isEmpty()) throw NotFound('the repository is empty');
  const found = await placeInPath(git, repository, rest);
  return viewOf(services, context, found.place, cleanPath(found.path));
}

/** Buttons that plugins put on the page of a file or folder. */
export const buttonsOf = (
  { actions }: PageServices,
  context: PageContext,
  shown: Pick<FilePlace, 'path' | 'type' | 'editable'>,
  { kind, name, commit }: Pick<Place, 'kind' | 'name' | 'commit'>,
) => {
  const at = { kind, name, oid: commit, commit };
  return Promise.all(actions.list().map((slot) => slot.render({ ...place(context), at, ...shown })));
};

export const encodePath = (path: string) => path.split('/').map(encodeURIComponent).join('/');

/** Address of a page of this view: `at(view, 'blame')`. */
export const at = (view: View, word: string, path = view.path) =>
  `${view.home}/${word}/${view.place.kind}/${encodePath(view.place.name)}${path ? `/${encodePath(path)}` : ''}`;

export const subjectOf = (message: string) => message.split('\n', 1)[0]!.slice(0, 500);
export const bodyOf = (message: string) => message.slice(message.split('\n', 1)[0]!.length).trim().slice(0, 20_000);

/** A size as people read it. */
export const sizeText = (bytes: number): string => {
  if (bytes < 1024) return `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`;
  const units = ['KiB', 'MiB', 'GiB', 'TiB'];
  const power = Math.min(Math.floor(Math.log2(bytes) / 10), units.length);
  return `${(bytes / 1024 ** power).toFixed(1)} ${units[power - 1]}`;
};
