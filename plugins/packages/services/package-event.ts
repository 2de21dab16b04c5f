import type { Package, PackageVersion } from '../api.js';
import type { PackageEvent } from '../contract/packages.js';

/** Event data of a created or deleted version. */
export const eventOf = (package_: Package, version: PackageVersion, actorId: number): PackageEvent => ({
  ownerId: package_.ownerId,
  packageId: package_.id,
  versionId: version.id,
  repositoryId: package_.repositoryId,
  actorId,
  type: package_.type,
  name: package_.name,
  version: version.version,
  creatorId: version.creatorId,
  createdAt: version.createdAt,
});
