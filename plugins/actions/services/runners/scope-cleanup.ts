import type { BaseModel, Database } from '@mortise/plugin-sdk';
import { RegistrationRow } from '../../models/registration.js';
import { RunnerRow } from '../../models/runner.js';
import { ScopedSourceRow } from '../../models/scoped-source.js';
import { SecretRow } from '../../models/secret.js';
import { TokenSettingRow } from '../../models/token-setting.js';
import { VariableRow } from '../../models/variable.js';
import { VersionRow } from '../../models/version.js';

const rowsOfOwner: readonly (typeof BaseModel)[] = [RegistrationRow, RunnerRow, SecretRow, TokenSettingRow];

/** Deletes what belonged to an owner or a repository, in the transaction that deletes it. */
export async function deleteRowsOfScope(
  database: Database,
  where: { readonly owner_id: number } | { readonly repository_id: number },
): Promise<void> {
  for (const row of [...rowsOfOwner, VariableRow, VersionRow]) await database.query(row).delete().where(where);
}

/**
 * Deletes, in the transaction of a transfer, what the next owner of a repository must not get: secrets and runners of the
 * former one, and workflows that run in the repositories of that owner.
 */
export async function deleteRowsOfFormerOwner(database: Database, repositoryId: number): Promise<void> {
  for (const row of rowsOfOwner) await database.query(row).delete().where('repository_id', repositoryId);
  // Its workflows would go on in all repositories of the owner before, or of the site, which trusted that owner.
  await database.query(ScopedSourceRow).delete().where('source_repo_id', repositoryId);
}
