/** Boards of accounts as feeds and notifications know them: which of them an actor may see. */
import type { Actor } from '@mortise/plugin-sdk';
import type { AccountActivityAccess } from '@mortise/activity/api';
import type { Accounts } from '@mortise/accounts/api';
import type { NotificationSubjectKind } from '@mortise/notifications/api';
import { t } from '../texts/index.js';
import { accountProjectType, anyProject, holdsProjectScope } from './project-scopes.js';
import type { ProjectServices } from './services.js';

/** What threads about boards are called in the inbox. */
export const projectSubject = 'project';

/** Feeds: the boards of an account as its pages show them; a token without the scope is told what is open to all. */
export const accountActivity = (
  services: Pick<ProjectServices, 'scopes'>,
  accounts: Pick<Accounts, 'byIds'>,
): AccountActivityAccess => ({
  async readable(ownerIds, actor) {
    const owners = [...(await accounts.byIds(ownerIds)).values()];
    const readable = new Set<number>();
    for (const type of ['organization', 'individual'] as const) {
      const reader = holdsProjectScope(actor, type, 'read') ? actor : { ...actor, publicOnly: true };
      const ofType = owners.filter((owner) => accountProjectType(owner) === type);
      for (const [id, scope] of await services.scopes.ofAccounts(reader, ofType))
        if (scope.may('read')) readable.add(id);
    }
    return readable;
  },
});

/** Boards of accounts in the inbox; those of repositories are told of in the thread of the repository. */
export const projectSubjects = ({
  reader,
  readers,
  scopes,
  presenter,
}: Pick<ProjectServices, 'reader' | 'readers' | 'scopes' | 'presenter'>): NotificationSubjectKind => ({
  key: projectSubject,
  apiType: 'Project',
  label: t.later('subject.project'),
  icon: 'project',
  async readersAmong(accounts, id) {
    const project = await reader.byId(id);
    return project ? readers.among(accounts, project) : new Set<number>();
  },
  async find(ids: readonly number[], actor: Actor) {
    const projects = [...(await reader.byIds(ids)).values()];
    const scopesById = await scopes.ofProjects(actor, projects);
    return new Map(
      projects.flatMap((project) => {
        const scope = scopesById.get(project.id);
        if (!scope?.may('read')) return [];
        const state = project.isClosed ? ('closed' as const) : ('open' as const);
        const path = presenter.path(project, scope);
        const subject = { title: project.title, ownerName: scope.owner.name, state, path };
        return [[project.id, { ...subject, apiPath: `${anyProject}/${project.id}` }] as const];
      }),
    );
  },
});
