import { brief, inPieces, type PackageTakeover } from '@mortise/packages/api';
import { property } from '../services/repositories.js';

export const debianTakeover: PackageTakeover = {
  version: ({ metadata }) => ({
    metadata: brief({
      maintainer: metadata.text('maintainer'),
      homepage: metadata.text('project_url'),
      description: metadata.text('description'),
      dependencies: metadata.texts('dependencies'),
    }),
  }),
  file: (file) => ({ properties: { [property]: inPieces(`${file.property('debian.control').trimEnd()}\n`) } }),
};
