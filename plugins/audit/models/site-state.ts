import { BaseModel } from '@mortise/plugin-sdk';

/** What the audit log knows of the last start. */
export interface SiteState {
  /** Names of the plugins that ran. */
  readonly plugins: readonly string[];
  /** Settings that were written anywhere, by `[section] KEY`; of secrets only that they are set. */
  readonly settings: Readonly<Record<string, string>>;
}

export class SiteStateRow extends BaseModel {
  static override tableName = 'audit_site_state';
  static override json = ['state'];
  declare id: number;
  declare state: SiteState;
}
