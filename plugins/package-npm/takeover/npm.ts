import type { PackageTakeover } from '@mortise/packages/api';
import { tagProperty } from '../services/properties.js';

/** Fields of a manifest by their names there. */
const fields = {
  description: 'description',
  license: 'license',
  project_url: 'homepage',
  keywords: 'keywords',
  dependencies: 'dependencies',
  bundleDependencies: 'bundleDependencies',
  development_dependencies: 'devDependencies',
  peer_dependencies: 'peerDependencies',
  peer_dependencies_meta: 'peerDependenciesMeta',
  optional_dependencies: 'optionalDependencies',
  bin: 'bin',
  readme: 'readme',
  scripts: 'scripts',
  hasInstallScript: 'hasInstallScript',
  engines: 'engines',
  cpu: 'cpu',
  os: 'os',
  directories: 'directories',
  funding: 'funding',
  deprecated: 'deprecated',
};

export const npmTakeover: PackageTakeover = {
  version({ name, version, metadata, properties }) {
    const repository = metadata.record('repository');
    const author = metadata.text('author');
    return {
      metadata: {
        name,
        version,
        ...metadata.renamed(fields),
        ...(author && { author: { name: author } }),
        ...(repository.text('url') && { repository: repository.renamed({ type: 'type', url: 'url' }) }),
        dist: {},
      },
      properties: { [tagProperty]: properties('npm.tag') },
    };
  },
};
