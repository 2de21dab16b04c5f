import type { ComponentChildren, VNode } from 'preact';
import {
  textOf,
  webPage,
  type PageOptions,
  type PointReader,
  type RouteContext,
  type Site,
  type WebPage,
} from '@mortise/plugin-sdk';
import type { Attachments } from '@mortise/attachments/api';
import type { IssueRowProperties } from '@mortise/issues/api';
import type { Markup } from '@mortise/markup/api';
import type { Notifications } from '@mortise/notifications/api';
import type { RepositoryPages } from '@mortise/repositories/api';
import type { Project, ProjectContext, ProjectScope } from '../contract/projects.js';
import type { ProjectServices } from '../services/services.js';
import { t } from '../texts/index.js';

/** What pages of boards work with. */
export interface PageDeps {
  readonly services: ProjectServices;
  readonly repositoryPages: RepositoryPages;
  readonly attachments: Attachments;
  readonly rowProperties: PointReader<IssueRowProperties>;
  readonly markup: Markup;
  readonly site: Site;
  /** Notifications, where there are any. */
  readonly notifications: PointReader<Notifications>;
}

export type ScopeRoute = RouteContext<ProjectScope>;
export type BoardRoute = RouteContext<ProjectContext>;

/** Boards of repositories and of accounts have the same pages below two paths. */
export const pageRoots = ['/{owner}/{repo}/projects', '/{owner}/-/projects'] as const;
export type PageRoot = (typeof pageRoots)[number];

/** Path of the list of boards. */
export const listPath = (site: Site, { owner, repository }: Pick<ProjectScope, 'owner' | 'repository'>): string =>
  site.path(repository ? `/${repository.ownerName}/${repository.name}/projects` : `/${owner.name}/-/projects`);

/** Path of the page of a board. */
export const boardPath = (site: Site, { project, scope }: Pick<ProjectContext, 'project' | 'scope'>): string =>
  `${listPath(site, scope)}/${project.id}`;

/** What the actor may change now: nothing in a repository that is archived. */
export const mayWriteAt = (scope: ProjectScope): boolean => scope.may('write') && !scope.repository?.isArchived;

/** The same on a board, which is as it is while it is closed. */
export const mayMoveOn = ({ project, scope }: { readonly project: Project; readonly scope: ProjectScope }): boolean =>
  mayWriteAt(scope) && !project.isClosed;

type Body = Omit<PageOptions, 'active' | 'title'> & { readonly title: PageOptions['title'] };

const AccountFrame = ({ name, href, children }: { name: string; href: string; children: ComponentChildren }): VNode => (
  <div>
    <h1 class="h3 text-normal mb-3">
      <a class="text-bold" href={href}>
        {name}
      </a>{' '}
      / {t('unit')}
    </h1>
    {children}
  </div>
);

/** A page in the header of the repository, or below the name of the account. */
export function projectPage(
  { repositoryPages, site }: Pick<PageDeps, 'repositoryPages' | 'site'>,
  request: Pick<RouteContext, 'actor'>,
  { owner, context }: ProjectScope,
  options: Body,
): WebPage {
  if (context) return repositoryPages.page({ context, actor: request.actor }, 'projects', options);
  const { title, body } = options;
  return webPage({
    ...options,
    title: () => `${textOf(title)} · ${owner.name}`,
    body: options.fragment ? (
      body
    ) : (
      <AccountFrame name={owner.name} href={site.path(`/${owner.name}`)}>
        {body}
      </AccountFrame>
    ),
  });
}
