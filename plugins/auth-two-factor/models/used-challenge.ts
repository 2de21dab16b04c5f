import { BaseModel } from '@mortise/plugin-sdk';

/** Challenges that were answered: none is good twice. */
export class UsedChallengeRow extends BaseModel {
  static override tableName = 'two_factor_used_challenge';
  static override idColumn = 'challenge_hash';
  declare challenge_hash: string;
  declare expires_at: number;
}
