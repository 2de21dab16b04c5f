import { BaseModel } from '@mortise/plugin-sdk';
import type { Attachment } from '../contract/attachments.js';

export class AttachmentRow extends BaseModel {
  static override tableName = 'attachment';
  declare id: number;
  declare kind: string;
  declare owner_id: number;
  declare repository_id: number;
  declare uploader_id: number;
  declare uuid: string;
  declare name: string;
  declare size: number;
  declare sha256: string;
  declare external_url: string;
  declare download_count: number;
  declare created_at: number;
}

export const toAttachment = (row: AttachmentRow): Attachment => ({
  id: row.id,
  kind: row.kind,
  ownerId: row.owner_id,
  repositoryId: row.repository_id,
  uploaderId: row.uploader_id,
  uuid: row.uuid,
  name: row.name,
  size: Number(row.size),
  sha256: row.sha256,
  externalUrl: row.external_url,
  downloadCount: row.download_count,
  createdAt: Number(row.created_at),
});
