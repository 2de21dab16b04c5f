import { brief, inPieces, SourceFields, type PackageTakeover } from '@mortise/packages/api';
import type { ArchInfo } from '../services/package-info.js';
import { property, signatureProperty } from '../services/repositories.js';

/** Lists of a file, by their names here. */
const lists = {
  groups: 'group',
  depends: 'depend',
  opt_depends: 'optdepend',
  make_depends: 'makedepend',
  check_depends: 'checkdepend',
  provides: 'provides',
  replaces: 'replaces',
  conflicts: 'conflict',
  backup: 'backup',
  xdata: 'xdata',
};

export const archTakeover: PackageTakeover = {
  version: ({ metadata }) => ({
    metadata: brief({
      description: metadata.text('description'),
      homepage: metadata.text('project_url'),
      packager: metadata.text('packager'),
      licenses: metadata.texts('licenses'),
      dependencies: metadata.texts('depends'),
    }),
  }),
  file(file) {
    const { name, version, metadata } = file.package;
    const fields = SourceFields.parse(file.property('arch.metadata'));
    const info: ArchInfo = {
      name,
      version,
      architecture: fields.text('architecture') || file.property('arch.architecture'),
      base: fields.text('base'),
      description: metadata.text('description'),
      url: metadata.text('project_url'),
      packager: fields.text('packager'),
      buildDate: fields.number('build_date'),
      installedSize: fields.number('installed_size'),
      lists: {
        license: metadata.texts('licenses'),
        ...Object.fromEntries(Object.entries(lists).map(([there, here]) => [here, fields.texts(there)])),
      },
      files: fields.texts('files'),
    };
    return {
      properties: {
        [property]: inPieces(JSON.stringify(info)),
        [signatureProperty]: file.property('arch.signature'),
      },
    };
  },
};
