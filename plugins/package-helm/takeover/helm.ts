import type { PackageTakeover, SourceFields } from '@mortise/packages/api';
import { compositeKey } from '../services/charts.js';
import type { ChartInfo } from '../services/chart.js';

/** Fields of an index by their names there. */
const fields = {
  kube_version: 'kubeVersion',
  description: 'description',
  type: 'type',
  home: 'home',
  icon: 'icon',
  app_version: 'appVersion',
  tiller_version: 'tillerVersion',
  engine: 'engine',
  condition: 'condition',
  tags: 'tags',
  keywords: 'keywords',
  sources: 'sources',
  maintainers: 'maintainers',
  annotations: 'annotations',
};

const dependencyOf = (dependency: SourceFields) =>
  dependency.renamed({
    name: 'name',
    version: 'version',
    repository: 'repository',
    condition: 'condition',
    tags: 'tags',
    import_values: 'import-values',
    alias: 'alias',
  });

export const helmTakeover: PackageTakeover = {
  version({ name, version, metadata }) {
    const dependencies = metadata.records('dependencies').map(dependencyOf);
    const chart: ChartInfo = {
      apiVersion: metadata.text('api_version'),
      name,
      version,
      ...metadata.renamed(fields),
      ...(dependencies.length > 0 && { dependencies }),
      ...(metadata.flag('deprecated') && { deprecated: true }),
    };
    return { metadata: { chart } };
  },
  file: () => ({ compositeKey }),
};
