import type { Actor, Database, PointReader } from '@mortise/plugin-sdk';
import type { Package, PackageFormat, PackageStore, PackageVersion } from '../api.js';

export interface DeletionDeps {
  readonly database: Database;
  readonly formats: PointReader<PackageFormat>;
  readonly store: PackageStore;
}

/** A version, or the whole package, as a person asks for it by the API or a page: the format may refuse. */
export async function deleteByHand(
  { database, formats, store }: DeletionDeps,
  package_: Package,
  version: PackageVersion | undefined,
  actor: Actor,
): Promise<void> {
  await database.write(async () => {
    await formats.get(package_.type)?.checkDeletion?.(package_, version);
    await (version ? store.deleteVersion(package_, version, actor) : store.deletePackage(package_, actor));
  });
}
