import type { Site } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { RepositoryPages } from '@mortise/repositories/api';
import type { StarsAndWatches } from '../contract/stars.js';
import type { StarSettings } from '../settings.js';

export interface PageDeps {
  readonly accounts: Accounts;
  readonly stars: StarsAndWatches;
  readonly pages: RepositoryPages;
  readonly site: Site;
  readonly settings: StarSettings;
}
