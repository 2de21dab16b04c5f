import type { PackageTakeover } from '@mortise/packages/api';

export const vagrantTakeover: PackageTakeover = {
  version: ({ metadata }) => ({
    metadata: metadata.renamed({
      description: 'description',
      author: 'author',
      project_url: 'website',
      repository_url: 'repository',
    }),
  }),
};
