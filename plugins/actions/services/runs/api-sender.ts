import type { ActivityModels } from '@mortise/activity-events/api';
import type { ApiUser } from '@mortise/accounts/api';
import { actionsUserId, actionsUserName } from './run-deps.js';

/** API model `User` of the sender; the service itself has a name and no account. */
export async function apiSender(models: ActivityModels, userId: number): Promise<ApiUser> {
  const user = await models.user(userId);
  if (userId !== actionsUserId || user.id === actionsUserId) return user;
  return { ...user, id: actionsUserId, login: actionsUserName, username: actionsUserName, full_name: 'Actions' };
}
