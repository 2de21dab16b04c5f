import { BaseModel } from '@mortise/plugin-sdk';

/** A script that an administrator gave a repository, run by the gate. */
export class GitHookRow extends BaseModel {
  static override tableName = 'git_hook';
  declare id: number;
  declare repository_id: number;
  declare name: string;
  declare content: string;
}
