import { BaseModel } from '@mortise/plugin-sdk';

/** Rows of `accounts`, for conditions alone: whether a source asks for a second factor itself. */
export class LoginSourceRow extends BaseModel {
  static override tableName = 'login_source';
}
