import type { QueryBuilder } from 'objection';
import type { Actor, Model } from '@mortise/plugin-sdk';
import type { PackageAccessSource } from '@mortise/packages/api';
import type { AccessGrant, AccessMode, AccessSource } from '@mortise/repositories/api';
import { taskUnits, type TaskPermissions } from '../../contract/task-identity.js';
import { taskGrant, type TaskIdentityService } from './task-identities.js';
import { permissionsOf } from './task-permissions.js';
import type { TaskRepositoryAccess } from './task-repository-access.js';
import type { TokenSettingsService } from './token-settings.js';

interface TaskAccessDeps {
  readonly identities: Pick<TaskIdentityService, 'permissionInput'>;
  readonly settings: Pick<TokenSettingsService, 'inForceIn'>;
  readonly repositoryAccess: TaskRepositoryAccess;
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

/** Grants of jobs in repositories beyond public access: their own, and those that allow it. */
export function taskAccess({ identities, repositoryAccess, settings }: TaskAccessDeps): AccessSource {
  const grants: AccessSource['grants'] = async (grantee, owned) => {
    const given = new Map<number, AccessGrant>();
    const task = taskGrant.of(grantee);
    const input = task && (await identities.permissionInput(task.taskId));
    if (!input) return given;
    const repositories = owned.map(({ repository }) => repository);
    if (repositories.some(({ id }) => id === task.repositoryId))
      given.set(task.repositoryId, grantOf(permissionsOf(input)));
    const reached = await repositoryAccess.accessibleAmong(
      task,
      repositories.filter(({ id }) => id !== task.repositoryId),
    );
    if (reached.size === 0) return given;
    const settingsOf = await settings.inForceIn(repositories.filter(({ id }) => reached.has(id)));
    for (const [id, target] of settingsOf) given.set(id, grantOf(permissionsOf(input, target)));
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
export const taskPackages = (identities: Pick<TaskIdentityService, 'permissionsOf'>): PackageAccessSource => ({
  key: 'actions.task',
  async mode(actor: Actor, owner) {
    const task = taskGrant.of(actor);
    // Code from forks gets public access only.
    if (!task || task.isForkPull || task.ownerId !== owner.id) return undefined;
    return (await identities.permissionsOf(task.taskId))?.packages;
  },
});
