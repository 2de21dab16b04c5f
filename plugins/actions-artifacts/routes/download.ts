import { NotFound, serveDownload, type DownloadRequest, type Reply, type Storage } from '@mortise/plugin-sdk';
import { artifactStatus, type ArtifactRow } from '../models/artifact.js';
import { artifactArea } from '../services/artifacts.js';

/** What a page of this site could load as a script or a style is no more than bytes. */
const runnable = /javascript|ecmascript|css|html|xml|svg/i;

const isZip = (type: string) => /^application\/(?:zip|x-zip-compressed)\b/.test(type);

/** Name to save it under, and its type. */
function fileOf({ name, content_type }: ArtifactRow): { readonly name: string; readonly type: string } {
  const type = content_type.includes('/') ? content_type : 'application/zip';
  if (isZip(type)) return { type, name: name.endsWith('.zip') ? name : `${name}.zip` };
  return { name, type: runnable.test(type) ? 'application/octet-stream' : type };
}

/** The content of an artifact as it is stored, whole or in part. */
export async function serveArtifact(
  storage: Storage,
  row: ArtifactRow,
  request: DownloadRequest & { info?: { acceptEncoding: string } },
): Promise<Reply> {
  const area = storage.area(artifactArea);
  if (row.status !== artifactStatus.confirmed || !(await area.stat(row.key))) throw NotFound('artifact');
  if (request.info) request.info.acceptEncoding = 'identity';
  const { name, type } = fileOf(row);
  const answer = await serveDownload(
    {
      size: Number(row.stored_size),
      type,
      tag: row.key.replaceAll('/', '-'),
      modifiedAt: Number(row.updated_at),
      name,
      cacheControl: 'private, max-age=0, must-revalidate',
      open: async (part) => (await area.get(row.key, part)).stream,
    },
    request,
  );
  return row.content_encoding ? answer.header('content-encoding', row.content_encoding) : answer;
}
