import { mediaTypeOf, serveDownload, type DownloadRequest, type Reply } from '@mortise/plugin-sdk';
import { textTypeOf, type GitRepository } from '@mortise/git/api';

/** The bytes of a file of the wiki, with a fence against anything that would run. */
export async function serveFile(
  git: GitRepository,
  file: { readonly oid: string; readonly path: string },
  isPrivate: boolean,
  request: DownloadRequest,
): Promise<Reply> {
  const name = file.path.slice(file.path.lastIndexOf('/') + 1);
  const size = (await git.info(file.oid))?.size ?? 0;
  const head = Buffer.concat(await (await git.blobStream(file.oid, { start: 0, end: 8191 })).stream.toArray());
  const mediaType = mediaTypeOf(name, head);
  return serveDownload(
    {
      size,
      type: mediaType.startsWith('text/plain') ? textTypeOf(head) : mediaType,
      tag: file.oid,
      name,
      disposition: 'inline',
      cacheControl: `${isPrivate ? 'private' : 'public'}, max-age=0, must-revalidate`,
      open: async (part) => (await git.blobStream(file.oid, part)).stream,
    },
    request,
  );
}
