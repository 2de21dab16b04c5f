import { NotFound, type Actor, type RouteContext, type Site } from '@mortise/plugin-sdk';
import { subjectOf as gitSubjectOf, bodyOf as gitBodyOf, type GitReader, type GitRepository } from '@mortise/git/api';
import { codeResource, type RepositoryContext, type RepositoryPageContext } from '@mortise/repositories/api';
import { t } from '../texts/index.js';
import { cleanPath, revisionInPath, type Revision } from './revisions.js';

/** What handlers of code pages get; with parameters `P` of the path and the query `Q` where they are needed. */
export type CodePageContext<P = unknown, Q = unknown> = RouteContext<RepositoryContext, P, Q>;

/** Who may open pages of code; `expensive` ones are closed to strangers where the operator says so. */
export const pageAccess = { actor: 'anyone', resource: codeResource, unit: 'code', expensive: true } as const;
export const writeAccess = { actor: 'user', resource: codeResource, unit: 'code', mode: 'write' } as const;

export const pageContextOf = (context: CodePageContext): RepositoryPageContext => ({
  context: context.resource,
  actor: context.actor,
});

export interface RevisionSources {
  readonly git: GitReader;
  readonly site: Site;
}

/** What a page shows: a point in history, and a path below it. */
export interface RevisionView {
  readonly git: GitRepository;
  readonly context: RepositoryContext;
  readonly repository: RepositoryContext['repository'];
  readonly actor: Actor;
  readonly revision: Revision;
  readonly path: string;
  /** Address of the repository's page. */
  readonly repositoryPath: string;
}

export const repositoryPathOf = (site: Site, { resource: { repository } }: Pick<CodePageContext, 'resource'>) =>
  site.path(`/${repository.ownerName}/${repository.name}`);

export function viewOf(
  services: RevisionSources,
  context: Pick<CodePageContext, 'resource' | 'actor'>,
  revision: Revision,
  path = '',
): RevisionView {
  const { repository } = context.resource;
  return {
    git: services.git.open(repository.id),
    context: context.resource,
    repository,
    actor: context.actor,
    revision,
    path,
    repositoryPath: repositoryPathOf(services.site, context),
  };
}

/** The view that `branch/main/docs/a.md` behind a page's word names. */
export async function openView(
  services: RevisionSources,
  context: CodePageContext,
  rest: string,
): Promise<RevisionView> {
  const { repository } = context.resource;
  const git = services.git.open(repository.id);
  if (await git.isEmpty()) throw NotFound(t.later('error.empty'));
  const location = await revisionInPath(git, repository, rest);
  return viewOf(services, context, location.revision, cleanPath(location.path));
}

export const encodePath = (path: string) => path.split('/').map(encodeURIComponent).join('/');

/** Address of a page of this view: `at(view, 'blame')`. */
export const at = (view: RevisionView, word: string, path = view.path) =>
  `${view.repositoryPath}/${word}/${view.revision.kind}/${encodePath(view.revision.name)}${path ? `/${encodePath(path)}` : ''}`;

/** First line of a message, as long as pages show it. */
export const subjectOf = (message: string) => gitSubjectOf(message).slice(0, 500);
/** What follows the first line, as long as pages show it. */
export const bodyOf = (message: string) => gitBodyOf(message).slice(0, 20_000);
