import type { PackageTakeover } from '@mortise/packages/api';
import { compositeKey, type CookbookInfo } from '../services/cookbooks.js';

export const chefTakeover: PackageTakeover = {
  version({ name, version, metadata }) {
    const dependencies = metadata.record('dependencies');
    const readme = metadata.text('long_description');
    const info: CookbookInfo = {
      name,
      version,
      description: metadata.text('description'),
      maintainer: metadata.text('author'),
      license: metadata.text('license'),
      sourceUrl: metadata.text('repository_url'),
      issuesUrl: '',
      dependencies: Object.fromEntries(dependencies.names.map((cookbook) => [cookbook, dependencies.text(cookbook)])),
      ...(readme && { readme }),
    };
    return { metadata: { ...info } };
  },
  file: () => ({ compositeKey }),
};
