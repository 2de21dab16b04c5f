import type { PackageTakeover } from '@mortise/packages/api';
import { pythonProperty } from '../services/projects.js';

export const pypiTakeover: PackageTakeover = {
  version({ metadata }) {
    const release = metadata.renamed({
      summary: 'summary',
      long_description: 'description',
      author: 'author',
      license: 'license',
      project_url: 'home_page',
      requires_python: 'requires_python',
    });
    const description = metadata.text('long_description') || metadata.text('description');
    return { metadata: { ...release, ...(description && { description }) } };
  },
  file(file) {
    const requiresPython = file.package.metadata.text('requires_python');
    return requiresPython ? { properties: { [pythonProperty]: requiresPython } } : {};
  },
};
