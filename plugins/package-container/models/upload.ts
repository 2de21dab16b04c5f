import { BaseModel } from '@mortise/plugin-sdk';

/** A blob on its way, in parts. */
export class UploadRow extends BaseModel {
  static override tableName = 'container_upload';
  declare id: string;
  declare owner_id: number;
  declare image: string;
  declare user_id: number;
  declare parts: number;
  declare received: number;
  declare updated_at: number;
}
