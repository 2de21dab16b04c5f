import { BadRequest, TooLarge, formatSize, type UploadedFile } from '@mortise/plugin-sdk';
import { fileName, type AttachmentOwner, type Attachments } from '@mortise/attachments/api';
import { t } from '../texts/index.js';

/** Files of one form. */
export const maxFiles = 20;

type Fields = Readonly<Record<string, unknown>>;

/** The files of a form that somebody chose. */
export const uploadedFiles = (fields: Fields): UploadedFile[] =>
  [fields.files]
    .flat()
    .filter((one): one is UploadedFile => typeof one === 'object' && one !== null && 'fileName' in one)
    .filter((file) => file.fileName !== '' || file.size > 0);

/** Refuses what cannot be taken, before anything is stored. */
export function checkFiles(attachments: Attachments, kind: string, files: readonly UploadedFile[]): void {
  if (files.length > maxFiles) throw BadRequest(t.later('files.tooMany', { limit: maxFiles }));
  const { maxBytes } = attachments.limits(kind);
  for (const file of files) {
    const name = fileName(file.fileName);
    attachments.checkType(kind, name);
    if (maxBytes !== undefined && file.size > maxBytes)
      throw TooLarge(t.later('files.tooLarge', { name, size: () => formatSize(maxBytes) }));
  }
}

/**
 * Stores the files; gives the text with its references to them (`attachment:NAME`, as the editor writes them) led to where
 * they are.
 */
export async function attachFiles(
  attachments: Attachments,
  owner: AttachmentOwner,
  files: readonly UploadedFile[],
  text: string,
  actorId: number,
  path: (path: string) => string,
): Promise<string> {
  let linked = text;
  for (const file of files) {
    const name = fileName(file.fileName);
    const { uuid } = await attachments.upload(owner, name, file, actorId);
    linked = linked.replaceAll(`(attachment:${encodeURIComponent(name)})`, `(${path(`/attachments/${uuid}`)})`);
  }
  return linked;
}
