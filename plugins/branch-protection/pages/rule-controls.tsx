import type { VNode } from 'preact';
import type { FieldOption, Text } from '@mortise/plugin-sdk';
import type { RuleOption } from '../contract/branch-protection.js';
import { t } from '../texts/index.js';
import { AllowList } from './allow-list.js';

/** What the form shows: the fields of the API, stored or as they were sent. */
export type RuleFields = Readonly<Record<string, unknown>>;

export interface RuleFormProps {
  readonly action: string;
  readonly title: Text;
  readonly fields: RuleFields;
  /** What is shown was sent and refused. */
  readonly isRefused: boolean;
  /** The fields are those of a stored rule. */
  readonly isStored: boolean;
  /** Names of teams that may be chosen; without any the fields for teams are left out. */
  readonly teams: readonly string[];
  /** Contexts of checks that were told of late. */
  readonly contexts: readonly string[];
  /** What other plugins add. */
  readonly options: readonly RuleOption[];
}

export const text = (value: unknown): string => (typeof value === 'string' ? value : '');
export const on = (value: unknown): boolean => value === true;

/** `none`, `all` or `listed`, from two switches. */
export const wayOf = (enabled: boolean, listed: boolean) => (enabled ? (listed ? 'listed' : 'all') : 'none');

export const listed = (note?: string): FieldOption => ['listed', t('rule.listed'), note];
export const writers = (): FieldOption => ['all', t('rule.writers')];

interface RuleAllowListProps {
  readonly what: 'push' | 'forcePush' | 'merge' | 'bypass' | 'approve';
  /** Names of the fields. */
  readonly users: string;
  readonly teams: string;
  readonly of: Pick<RuleFormProps, 'fields' | 'teams'>;
}

export const RuleAllowList = ({ what, users, teams, of }: RuleAllowListProps): VNode => (
  <AllowList
    usersLabel={t('rule.usersWhat', { what })}
    teamsLabel={t('rule.teamsWhat', { what })}
    users={users}
    teams={teams}
    fields={of.fields}
    known={of.teams}
  />
);
