import type { ExternalContent } from '@mortise/git/api';
import type { LfsObjects } from '../contract/lfs.js';

/** Objects follow the commits that name them from one repository of the site to another. */
export const lfsExternalContent = (objects: LfsObjects): ExternalContent => ({
  key: 'lfs',
  async share({ from, to, commits, ...range }) {
    await objects.share(from, to, { tips: commits, ...range });
  },
});
