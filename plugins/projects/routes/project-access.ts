import { projectResource } from '../contract/projects.js';
import { anyProject } from '../services/project-scopes.js';

/** Operations that only this site has: below the number of the board, wherever it belongs. */
export const projectPath = `${anyProject}/{id}` as const;
export const projectTags = ['project'];
/** The resource asks for the category of where the board belongs as well: `organization` or `user`. */
export const readProject = { actor: 'anyone', scope: 'issue', resource: projectResource } as const;
export const writeProject = { ...readProject, actor: 'user', mode: 'write' } as const;
