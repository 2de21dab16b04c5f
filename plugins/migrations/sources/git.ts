import type { MigrationSource } from '../api.js';
import { t } from '../texts/index.js';

/** The last part of a path, without `.git`. */
export const nameIn = (address: string): string =>
  /([^/:]+?)(?:\.git)?\/*$/.exec(address.replace(/[?#].*$/s, ''))?.[1] ?? '';

/** Where the wiki of a repository lies beside it. */
export const wikiUrlOf = (cloneUrl: string): string => cloneUrl.replace(/\/+$/, '').replace(/(?:\.git)?$/, '.wiki.git');

/** Anything that git can clone from: code, tags and LFS, and the wiki where it lies beside it. */
export const gitSource: MigrationSource = {
  key: 'git',
  label: t.later('git.label'),
  description: t.later('git.description'),
  icon: 'git-branch',
  order: 10,
  addressPlaceholder: 'https://git.example/owner/name.git',
  fields: [
    { name: 'auth_username', label: t.later('field.username') },
    { name: 'auth_password', label: t.later('field.password'), type: 'password' },
  ],
  kinds: ['lfs', 'wiki'],
  connect: async ({ address }) => ({
    repository: async () => ({
      name: nameIn(address),
      description: '',
      isPrivate: false,
      defaultBranch: '',
      topics: [],
      cloneUrl: address,
      wikiUrl: wikiUrlOf(address),
    }),
  }),
};
