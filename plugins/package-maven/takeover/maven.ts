import type { PackageTakeover } from '@mortise/packages/api';
import type { Pom } from '../services/pom.js';

export const mavenTakeover: PackageTakeover = {
  /** Older versions write `group-artifact`, which may be taken apart in several ways. */
  name(metadata) {
    const [group, artifact] = [metadata.text('groupId'), metadata.text('artifactId')];
    return group && artifact ? `${group}:${artifact}` : undefined;
  },
  version({ version, metadata }) {
    if (!metadata.text('artifact_id')) return {};
    const pom: Pom = {
      groupId: metadata.text('group_id'),
      artifactId: metadata.text('artifact_id'),
      version,
      name: metadata.text('name'),
      description: metadata.text('description'),
      url: metadata.text('project_url'),
      licenses: metadata.texts('licenses'),
      dependencies: metadata.records('dependencies').map((dependency) => ({
        groupId: dependency.text('group_id'),
        artifactId: dependency.text('artifact_id'),
        version: dependency.text('version'),
      })),
    };
    return { metadata: { ...pom } };
  },
};
