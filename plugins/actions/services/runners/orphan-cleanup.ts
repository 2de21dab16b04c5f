import type { BaseModel, Database } from '@mortise/plugin-sdk';
import { RegistrationRow } from '../../models/registration.js';
import { RunnerRow } from '../../models/runner.js';
import { ScopedSourceRow } from '../../models/scoped-source.js';
import { SecretRow } from '../../models/secret.js';
import { TokenSettingRow } from '../../models/token-setting.js';
import { VariableRow } from '../../models/variable.js';
import { VersionRow } from '../../models/version.js';

const rowsOfOwner: readonly (typeof BaseModel)[] = [RegistrationRow, RunnerRow, SecretRow, TokenSettingRow];

/** What stays behind when an owner or a repository goes; in the transaction of that. */
export async function cleanUpScope(
  database: Database,
  where: { readonly owner_id: number } | { readonly repository_id: number },
): Promise<void> {
  for (const row of [...rowsOfOwner, VariableRow, VersionRow]) await database.query(row).delete().where(where);
}

/**
 * The next owner of a repository gets neither the secrets nor the machines of the one before, nor its say in their
 * repositories; in the transaction.
 */
export async function cleanUpTransferred(database: Database, repositoryId: number): Promise<void> {
  for (const row of rowsOfOwner) await database.query(row).delete().where('repository_id', repositoryId);
  // Its workflows would go on in all repositories of the owner before, or of the site, which trusted that owner.
  await database.query(ScopedSourceRow).delete().where('source_repo_id', repositoryId);
}
