import { type PluginHost, defineService } from '@mortise/plugin-sdk';
import { userBlocked, userDeleting, userVisibilityChanged } from '@mortise/accounts/api';
import {
  repositoryAccessLost,
  repositoryAccessReduced,
  repositoryCreated,
  repositoryDeleting,
  repositoryRenamed,
  repositoryVisibilityChanged,
} from '@mortise/repositories/api';
import { refsUpdated } from '@mortise/git/api';
import { StarService } from './services/stars.js';
import type { WatchSettings } from './settings.js';

/** With what only this plugin does; not part of the contract. */
export const service = defineService<StarService>('stars.service');

export function registerEvents(host: PluginHost, settings: WatchSettings): void {
  host.on(repositoryCreated, 'within', 'watch-own', { service }, async (made, services) => {
    if (made.actorKind === 'user' && settings.AUTO_WATCH_NEW_REPOS)
      await services.service.watchOwned(made.repositoryId, made.actorId);
  });
  if (settings.AUTO_WATCH_ON_CHANGES)
    host.on(refsUpdated, 'after', 'watch-pushed', { service }, async (moved, services) => {
      const isPush = moved.kind === 'code' && moved.source !== 'mirror' && moved.source !== 'internal';
      if (isPush) await services.service.watchPushed(moved.repositoryId, moved.pusherId);
    });
  host.on(repositoryVisibilityChanged, 'within', 'follow-visibility', { service }, async (change, services) => {
    if (!change.isPrivate) await services.service.published(change.repositoryIds);
    else for (const id of change.repositoryIds) await services.service.clearStars(id);
  });
  host.on(repositoryVisibilityChanged, 'after', 'forget-outsiders', { service }, async (change, services) => {
    if (change.isPrivate) for (const id of change.repositoryIds) await services.service.forgetOutsiders(id);
  });
  host.on(repositoryRenamed, 'after', 'forget-others', { service }, async ({ repositoryId, from, to }, services) => {
    // another owner, whom not everybody may see
    if (from.split('/')[0] === to.split('/')[0]) return;
    await services.service.forgetOutsiders(repositoryId);
    await services.service.ownerChanged(repositoryId);
  });
  host.on(userVisibilityChanged, 'within', 'count-public', { service }, ({ userId, visibility }, services) =>
    services.service.ownerVisibilityChanged(userId, visibility === 'public'),
  );
  host.on(repositoryAccessLost, 'within', 'forget', { service }, ({ repositoryId, userId }, services) =>
    services.service.forget(repositoryId, userId),
  );
  host.on(repositoryAccessReduced, 'after', 'forget-unreadable', { service }, async (reduced, services) => {
    for (const userId of reduced.userIds) await services.service.forgetUnreadable(userId, reduced.ownerId);
  });
  host.on(repositoryDeleting, 'within', 'uncount', { service }, ({ repositoryId }, services) =>
    services.service.repositoryDeleting(repositoryId),
  );
  host.on(userDeleting, 'within', 'forget-user', { service }, ({ userId }, services) =>
    services.service.userDeleting(userId),
  );
  host.on(userBlocked, 'within', 'part', { service }, ({ blockerId, blockedId }, services) =>
    services.service.removeStarsBetween(blockerId, blockedId),
  );
}
