import { Forbidden } from '@mortise/plugin-sdk';
import type { Account, AccountFeatures, Accounts } from '../api.js';
import type { AccountFeature } from '../contract/features.js';
import type { FeatureSettings } from '../settings.js';
import { featuresIn } from '../settings.js';
import type { LoginSourceReader } from './login-sources.js';
import { t } from '../texts/index.js';

/** What the operator, or the source of an account, keeps people from. */
export class FeatureService implements AccountFeatures {
  readonly #all: ReadonlySet<string>;
  readonly #external: ReadonlySet<string>;

  constructor(
    private readonly accounts: Pick<Accounts, 'byId'>,
    private readonly sources: LoginSourceReader,
    settings: FeatureSettings,
  ) {
    this.#all = new Set(featuresIn(settings.USER_DISABLED_FEATURES));
    this.#external = new Set(featuresIn(settings.EXTERNAL_USER_DISABLE_FEATURES));
  }

  async isOff(account: Account, feature: AccountFeature): Promise<boolean> {
    if (this.#all.has(feature)) return true;
    if (account.sourceId === 0) return false;
    if (this.#external.has(feature)) return true;
    if (feature !== 'manage_ssh_keys') return false;
    const source = await this.sources.byId(account.sourceId);
    return (source && this.sources.kind(source.kind)?.managesPublicKeys?.(source)) ?? false;
  }

  async check(userId: number, feature: AccountFeature): Promise<void> {
    const account = await this.accounts.byId(userId);
    if (account && (await this.isOff(account, feature))) throw Forbidden(t.later('error.featureOff'));
  }
}
