import type { PackageTakeover, SourceFields } from '@mortise/packages/api';
import type { CrateDependency, CrateManifest } from '../services/publication.js';

/** A renamed crate stands under its new name there, with the own one beside it. */
function dependencyOf(fields: SourceFields): CrateDependency {
  const ownName = fields.text('package');
  return {
    name: ownName || fields.text('name'),
    version_req: fields.text('req'),
    features: fields.texts('features'),
    optional: fields.flag('optional'),
    default_features: fields.flag('default_features'),
    target: fields.text('target') || null,
    kind: fields.text('kind') || 'normal',
    registry: fields.text('registry') || null,
    explicit_name_in_toml: ownName ? fields.text('name') : null,
  };
}

export const cargoTakeover: PackageTakeover = {
  version({ name, version, metadata, property }) {
    const features = metadata.record('features');
    const manifest: CrateManifest = {
      name,
      vers: version,
      deps: metadata.records('dependencies').map(dependencyOf),
      features: Object.fromEntries(features.names.map((feature) => [feature, features.texts(feature)])),
      ...metadata.renamed({
        authors: 'authors',
        description: 'description',
        documentation_url: 'documentation',
        project_url: 'homepage',
        readme: 'readme',
        keywords: 'keywords',
        categories: 'categories',
        license: 'license',
        repository_url: 'repository',
        links: 'links',
      }),
    };
    return { metadata: { ...manifest, yanked: property('cargo.yanked') === 'true' } };
  },
};
