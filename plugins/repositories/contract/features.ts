import { definePoint } from '@mortise/plugin-sdk';

/** How a repository is reached over SSH, from the plugin that serves it; without one `ssh_url` is empty. */
export const sshAddress = definePoint.one<{
  /** Of `owner/name`: `git@host:owner/name.git`. */
  address(path: string): string;
}>('repositories.sshAddress');

/** What `GET /settings/repository` says is switched off; of a key that nobody contributes `stars`
 * reads true, any other false. */
export const repositoryFeatures = definePoint.keyed<{
  readonly key: 'mirrors' | 'http_git' | 'migrations' | 'stars' | 'time_tracking' | 'lfs';
  readonly disabled: boolean;
}>('repositories.features');
