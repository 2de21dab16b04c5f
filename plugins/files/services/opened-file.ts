import { withFallback, type PointReader } from '@mortise/plugin-sdk';
import { decodeText, type PathEntry } from '@mortise/git/api';
import { lfsPointer, type RevisionView } from '@mortise/history/api';
import type { MediaSource } from '../contract/files.js';
import { mediaOf } from './media.js';
import { blobSource, bytesOf } from './serve-blob.js';
import { fileTypeOf } from './text.js';

const maxShown = 1 << 20;
/** Of a larger text the beginning is shown, to the end of a line. */
const firstPart = 256 << 10;

/** A file as its page shows it. */
export interface OpenedFile {
  readonly name: string;
  readonly size: number;
  readonly type: string;
  /** Only of texts that are small enough. */
  readonly text?: string;
  readonly encoding?: string;
  readonly isLarge: boolean;
  /** The bytes lie in the store of large files. */
  readonly stored?: { readonly size: number; readonly found: boolean };
}

/** Looks into a file: what it is, and its text where it is one. Undefined: its object cannot be read. */
export async function openFile(
  media: PointReader<MediaSource>,
  view: RevisionView,
  entry: PathEntry,
): Promise<OpenedFile | undefined> {
  const { git } = view;
  const name = view.path.slice(view.path.lastIndexOf('/') + 1);
  const ownSize = (await git.info(entry.oid))?.size;
  if (ownSize === undefined) return undefined;
  const own = await blobSource(git, entry.oid);
  const pointer = ownSize < 1024 ? lfsPointer((await bytesOf(own)).toString('utf8')) : undefined;
  const kept = pointer && (await withFallback(mediaOf(media, git, entry.oid), undefined));
  const content = kept ?? own;
  const { size } = content;
  const whole = size <= maxShown ? await bytesOf(content) : undefined;
  const head = whole ?? (await bytesOf(content, { start: 0, end: firstPart - 1 }));
  const type = fileTypeOf(name, whole ?? head.subarray(0, 8192));
  const isReadable = type.startsWith('text/') || type === 'image/svg+xml';
  const readable = whole ?? (type.startsWith('text/') ? upToLine(head) : undefined);
  const decoded = readable && isReadable ? decodeText(readable) : undefined;
  return {
    name,
    size,
    type,
    ...decoded,
    isLarge: !whole,
    stored: pointer ? { size: pointer.size, found: kept !== undefined } : undefined,
  };
}

/** Bytes to the end of the last whole line, so that no character is cut. */
function upToLine(bytes: Buffer): Buffer {
  const end = bytes.lastIndexOf(10);
  return end < 0 ? bytes : bytes.subarray(0, end + 1);
}
