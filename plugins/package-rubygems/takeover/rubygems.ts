import { inPieces, type PackageTakeover, type SourceFields, type SourceVersion } from '@mortise/packages/api';
import type { GemSpec, Requirement } from '../services/gem.js';
import { gemKey, lineProperty, specProperty } from '../services/gems.js';
import { needsOf } from '../services/indexes.js';

const anything: Requirement = [['>=', '0']];

function requirementOf(list: readonly SourceFields[]): Requirement {
  const requirement = list.map((one) => [one.text('restriction') || '>=', one.text('version')] as const);
  return requirement.length > 0 ? requirement : anything;
}

const dependenciesOf = (list: readonly SourceFields[], isDevelopment: boolean) =>
  list.map((one) => ({ name: one.text('name'), requirement: requirementOf(one.records('version')), isDevelopment }));

const specOf = ({ name, version, metadata }: SourceVersion): GemSpec => ({
  name,
  version,
  platform: metadata.text('platform') || 'ruby',
  summary: metadata.text('summary'),
  description: metadata.text('description'),
  email: [],
  authors: metadata.texts('authors'),
  homepage: metadata.text('project_url'),
  licenses: metadata.texts('licenses'),
  links: {},
  dependencies: [
    ...dependenciesOf(metadata.records('runtime_dependencies'), false),
    ...dependenciesOf(metadata.records('development_dependencies'), true),
  ],
  ruby: requirementOf(metadata.records('required_ruby_version')),
  rubygems: requirementOf(metadata.records('required_rubygems_version')),
  rubygemsVersion: '',
});

export const rubygemsTakeover: PackageTakeover = {
  version(version) {
    const { summary, description, authors, homepage, licenses, dependencies } = specOf(version);
    return { metadata: { summary, description, authors, homepage, licenses, dependencies } };
  },
  /** Files of a version are for platforms, and their names end with them. */
  file(file) {
    const spec = specOf(file.package);
    const start = `${spec.name}-${spec.version}-`.toLowerCase();
    const own = file.name.toLowerCase().startsWith(start) ? file.name.slice(start.length, -'.gem'.length) : 'ruby';
    const platform = own || 'ruby';
    return {
      compositeKey: gemKey,
      properties: {
        [lineProperty]: inPieces(JSON.stringify({ platform, ...needsOf(spec) })),
        [specProperty]: inPieces(JSON.stringify({ ...spec, platform })),
      },
    };
  },
};
