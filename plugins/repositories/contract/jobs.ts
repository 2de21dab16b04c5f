import type { ResourceRequest } from '@mortise/plugin-sdk';

/** Does a job of a workflow ask for more than to read? Of routes that need nobody signed in none changes anything. */
export const isChangeByJob = ({
  actor,
  access,
  method,
}: Pick<ResourceRequest, 'actor' | 'access' | 'method'>): boolean =>
  actor.kind === 'task' && access.actor !== 'anyone' && !['get', 'head'].includes(method.toLowerCase());
