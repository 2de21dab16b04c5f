import { inPieces, SourceFields, type PackageTakeover } from '@mortise/packages/api';
import { compositeKeyOf, property } from '../services/channels.js';
import type { CondaIndex } from '../services/conda-package.js';

export const condaTakeover: PackageTakeover = {
  version: ({ metadata }) => ({
    metadata: {
      summary: metadata.text('summary'),
      description: metadata.text('description'),
      license: metadata.text('license'),
      homepage: metadata.text('project_url'),
      dependencies: [],
    },
  }),
  /** The name of a package holds its channel there too: `forge/tool`. */
  file(file) {
    const { name: path, version, metadata } = file.package;
    const slash = path.lastIndexOf('/');
    const [channel, name] = [path.slice(0, Math.max(0, slash)), path.slice(slash + 1)];
    const subdir = file.property('conda.subdir');
    const fields = SourceFields.parse(file.property('conda.metadata'));
    const index: CondaIndex = {
      name,
      version,
      build: fields.text('build'),
      build_number: fields.number('build_number'),
      subdir,
      depends: fields.texts('dependencies'),
      ...metadata.renamed({ license: 'license', license_family: 'license_family' }),
      ...fields.renamed({ noarch: 'noarch', platform: 'platform', architecture: 'arch', timestamp: 'timestamp' }),
    };
    return {
      compositeKey: compositeKeyOf(channel, subdir),
      properties: { [property]: inPieces(JSON.stringify(index)) },
    };
  },
};
