import type { Site } from '@mortise/plugin-sdk';
import type { Repositories, RepositoryDefaults, RepositoryCreator, RepositoryPages } from '@mortise/repositories/api';
import type { ForkService } from '../services/forks.js';
import type { UpstreamService } from '../services/upstream.js';
import type { ForkSettings } from '../settings.js';

export interface PageDeps {
  readonly forks: ForkService;
  readonly upstream: UpstreamService;
  readonly repositories: Repositories;
  readonly creator: RepositoryCreator;
  readonly defaults: RepositoryDefaults;
  readonly pages: RepositoryPages;
  readonly site: Site;
  readonly settings: ForkSettings;
}
