import { brief, inPieces, type PackageTakeover } from '@mortise/packages/api';
import { property } from '../services/repositories.js';
import type { ApkInfo } from '../services/apk.js';
import { SourceFields, type SourceVersion } from '@mortise/packages/api';

const descriptionOf = ({ metadata }: SourceVersion) => ({
  description: metadata.text('description'),
  homepage: metadata.text('project_url'),
  license: metadata.text('license'),
  maintainer: metadata.text('maintainer'),
});

export const alpineTakeover: PackageTakeover = {
  version: (version) => ({ metadata: brief({ ...descriptionOf(version), dependencies: [] }) }),
  file(file) {
    const fields = SourceFields.parse(file.property('alpine.metadata'));
    const info: ApkInfo = {
      name: file.package.name,
      version: file.package.version,
      architecture: fields.text('architecture') || file.property('alpine.architecture'),
      ...descriptionOf(file.package),
      origin: fields.text('origin'),
      commit: fields.text('commit_hash'),
      installIf: fields.text('install_if'),
      installedSize: fields.number('size'),
      buildDate: fields.number('build_date'),
      priority: fields.number('provider_priority'),
      provides: fields.texts('provides'),
      dependencies: fields.texts('dependencies'),
      checksum: fields.text('checksum'),
    };
    return { properties: { [property]: inPieces(JSON.stringify(info)) } };
  },
};
