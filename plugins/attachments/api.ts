/** The contract of `attachments`: files that belong to something of a repository, and how they are taken and served. */
export {
  type Attachment,
  type AttachmentOwner,
  type AttachmentLimits,
  type AttachmentKind,
  attachmentKinds,
  type Attachments,
  attachments,
  type ApiAttachment,
  attachmentSchema,
} from './contract/attachments.js';
export * from './contract/file-names.js';
export { uploadQuery, uploadPayload, receiveUpload } from './contract/upload.js';
