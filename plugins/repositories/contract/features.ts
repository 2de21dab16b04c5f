import { definePoint } from '@mortise/plugin-sdk';

/** How a repository is reached over SSH, from the plugin that serves it; without one `ssh_url` is empty. */
export const sshAddress = definePoint.one<{
  /** Of `owner/name`: `git@host:owner/name.git`. */
  address(path: string): string;
}>('repositories.sshAddress');

/** The page that pages of a repository lead to while it is being imported. */
export const importPage = definePoint.one<{
  /** Path below the root address, of `owner/name`. */
  path(repository: string): string;
}>('repositories.importPage');

/** What `GET /settings/repository` says is switched off; of a key that nobody contributes `stars`
 * reads true, any other false. */
export const repositoryFeatures = definePoint.keyed<{
  readonly key: 'mirrors' | 'http_git' | 'migrations' | 'stars' | 'time_tracking' | 'lfs';
  readonly disabled: boolean;
}>('repositories.features');
