import { NotFound, type Database } from '@mortise/plugin-sdk';
import type { ActionScope } from '../../contract/scopes.js';
import { EnvironmentRow } from '../../models/environment.js';
import { whereScope } from '../runners/runner-records.js';

/** Columns of secrets and variables that are of exactly this scope. */
export const inScope = (scope: ActionScope) => ({
  ...whereScope(scope),
  environment_id: scope.environmentId ?? 0,
});

/**
 * What the audit log says of the environment that the values are of; in the transaction of the act, in which the environment
 * is held. NotFound (404) without it.
 */
export async function lockEnvironment(
  database: Database,
  { repositoryId, environmentId }: ActionScope,
): Promise<{ readonly details?: { readonly environment: string } }> {
  if (!environmentId) return {};
  const environment = await database
    .query(EnvironmentRow)
    .findOne({ id: environmentId, repository_id: repositoryId })
    .forUpdate();
  if (!environment) throw NotFound('environment');
  return { details: { environment: environment.name } };
}
