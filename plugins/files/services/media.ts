import { withFallback, type PointReader } from '@mortise/plugin-sdk';
import type { GitRepository } from '@mortise/git/api';
import type { MediaSource } from '../contract/files.js';
import { blobSource, type ByteSource } from './serve-blob.js';

/** Pointers are small (git-lfs specification). */
const maxPointer = 1024;

/** The content that a pointer file stands for; undefined: the file is itself, or nobody has what it points at. */
export async function mediaOf(
  sources: PointReader<MediaSource>,
  git: GitRepository,
  oid: string,
): Promise<ByteSource | undefined> {
  if (sources.list().length === 0 || ((await git.info(oid))?.size ?? Infinity) > maxPointer) return undefined;
  const pointer = await git.blob(oid, maxPointer);
  for (const source of sources.list()) {
    const start = await source.open(git.id, pointer, { start: 0, end: 8191 });
    if (!start) continue;
    return {
      size: start.size,
      head: Buffer.concat(await start.stream.toArray()),
      async open(part) {
        const media = await source.open(git.id, pointer, part);
        return media ? media.stream : Buffer.alloc(0);
      },
    };
  }
  return undefined;
}

/** What a file holds: the content that its pointer stands for, where it is one and somebody has that. */
export async function contentOf(
  sources: PointReader<MediaSource>,
  git: GitRepository,
  oid: string,
): Promise<ByteSource> {
  return (await withFallback(mediaOf(sources, git, oid), undefined)) ?? blobSource(git, oid);
}
