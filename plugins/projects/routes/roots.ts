import { repositoryApi } from '@mortise/repositories/api';
import { projectScopeResource, projectResource } from '../contract/projects.js';

/** Boards of a repository, of an organization, and of users: the same operations below three paths. */
const rootOf = <P extends string>(
  path: P,
  id: 'repo' | 'org' | 'user' | 'userOther',
  tag: string,
  scope: 'issue' | 'organization' | 'user',
) => {
  const actor = path.startsWith('/api/v1/user/') ? ('user' as const) : ('anyone' as const);
  const read = { actor, scope } as const;
  // hidden organizations are missing before anybody is asked to sign in, as hidden repositories are
  const write = { actor: 'user', scope, mode: 'write' } as const;
  return {
    path,
    id,
    tags: [tag],
    read: {
      scope: { ...read, resource: projectScopeResource },
      project: { ...read, resource: projectResource },
    },
    write: {
      scope: { ...write, resource: projectScopeResource },
      project: { ...write, resource: projectResource },
    },
  };
};

export const projectRoots = {
  own: [
    rootOf(`${repositoryApi}/projects`, 'repo', 'repository', 'issue'),
    rootOf('/api/v1/orgs/{org}/projects', 'org', 'organization', 'organization'),
    rootOf('/api/v1/user/projects', 'user', 'user', 'user'),
  ],
  ofUser: rootOf('/api/v1/users/{username}/projects', 'userOther', 'user', 'user'),
} as const;

export type ProjectRoot = Omit<ReturnType<typeof rootOf<string>>, 'path'> & { readonly path: `/api/v1/${string}` };
