import type { PackageTakeover } from '@mortise/packages/api';

/** Fields that have the same name and shape. */
const same = [
  'description',
  'keywords',
  'homepage',
  'license',
  'authors',
  'bin',
  'autoload',
  'autoload-dev',
  'extra',
  'require',
  'require-dev',
  'suggest',
  'provide',
  'conflict',
  'replace',
  'readme',
];

export const composerTakeover: PackageTakeover = {
  version({ name, metadata, property }) {
    const type = property('composer.type') || 'library';
    return {
      metadata: {
        name,
        type,
        ...metadata.renamed(Object.fromEntries(same.map((field) => [field, field]))),
        archive: 'zip',
      },
      properties: { 'composer.type': type },
    };
  },
};
