import type { QueryBuilder } from 'objection';
import type { Actor, Model } from '@mortise/plugin-sdk';
import type { PackageAccessSource } from '@mortise/packages/api';
import type { AccessGrant, AccessMode, AccessSource } from '@mortise/repositories/api';
import { taskUnits, type TaskPermissions } from '../../contract/task-identity.js';
import { taskGrant, type IdentityService } from './identity.js';
import { permissionsOf } from './permissions.js';
import type { TaskReach } from './reach.js';
import type { TokenSettingsService } from './token-settings.js';

export interface TaskAccessDeps {
  readonly identities: Pick<IdentityService, 'factsOf'>;
  readonly settings: Pick<TokenSettingsService, 'inForceIn'>;
  readonly reach: TaskReach;
}

const none: AccessMode = 'none';

function grantOf(permissions: TaskPermissions): AccessGrant {
  const units = Object.fromEntries(
    taskUnits
      .filter((unit) => unit !== 'packages' && permissions[unit] !== 'none')
      .map((unit) => [unit, permissions[unit]]),
  );
  return { mode: none, units };
}

/** What jobs may in repositories, beyond what everybody may read: their own, and those that are opened to it. */
export function taskAccess({ identities, reach, settings }: TaskAccessDeps): AccessSource {
  const grants: AccessSource['grants'] = async (grantee, owned) => {
    const given = new Map<number, AccessGrant>();
    const task = taskGrant.of(grantee);
    const facts = task && (await identities.factsOf(task.taskId));
    if (!facts) return given;
    const repositories = owned.map(({ repository }) => repository);
    if (repositories.some(({ id }) => id === task.repositoryId))
      given.set(task.repositoryId, grantOf(permissionsOf(facts)));
    const reached = await reach.among(
      task,
      repositories.filter(({ id }) => id !== task.repositoryId),
    );
    if (reached.size === 0) return given;
    const settingsOf = await settings.inForceIn(repositories.filter(({ id }) => reached.has(id)));
    for (const [id, target] of settingsOf) given.set(id, grantOf(permissionsOf(facts, target)));
    return given;
  };

  return {
    key: 'actions.task',
    actors: ['task'],
    grants,
    orWhereGranted(grantee, either: QueryBuilder<Model>) {
      const task = taskGrant.of(grantee);
      if (task) void either.orWhere('repository.id', task.repositoryId);
    },
  };
}

/** What jobs may with packages of the owner of their repository. */
export const taskPackages = (identities: Pick<IdentityService, 'permissionsOf'>): PackageAccessSource => ({
  key: 'actions.task',
  async mode(actor: Actor, owner) {
    const task = taskGrant.of(actor);
    // What outsiders wrote sees what everybody sees.
    if (!task || task.isForkPull || task.ownerId !== owner.id) return undefined;
    return (await identities.permissionsOf(task.taskId))?.packages;
  },
});
