import { projectResource } from '../contract/projects.js';
import { anyProject } from '../services/project-scopes.js';

/** Operations that only this site has: below the number of the board, wherever it belongs. */
export const ownPath = `${anyProject}/{id}` as const;
export const ownTags = ['project'];
/** The resource asks for the category of where the board belongs as well: `organization` or `user`. */
export const readOwn = { actor: 'anyone', scope: 'issue', resource: projectResource } as const;
export const writeOwn = { ...readOwn, actor: 'user', mode: 'write' } as const;
