import { actAudited, type Events } from '@mortise/plugin-sdk';
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

/** A version that was deleted, in the audit log of its owner and its repository. */
export const auditDeletion = (
  { type, name, version, versionId, ownerId, repositoryId, actorId }: PackageEvent,
  { events }: { readonly events: Events },
): Promise<void> =>
  events.emit(actAudited, {
    action: 'package.delete',
    target: { kind: 'package', id: versionId, name: `${name} ${version}` },
    actorId,
    ownerId,
    ...(repositoryId && { repositoryId }),
    details: { type },
  });
