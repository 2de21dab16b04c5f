import type { PackageTakeover } from '@mortise/packages/api';

export const pubTakeover: PackageTakeover = {
  version({ name, version, metadata }) {
    const pubspec = metadata.value('pubspec');
    const readme = metadata.text('readme');
    const description = metadata.text('description');
    return {
      metadata: {
        pubspec: typeof pubspec === 'object' ? pubspec : { name, version, ...(description && { description }) },
        ...(readme && { readme }),
      },
    };
  },
};
