import { downloadPolicy, mediaTypeOf as typeOfContent } from '@mortise/plugin-sdk';
import { textTypeOf } from '@mortise/git/api';
import { mediaTypeOf } from './media-type.js';

interface ServedType {
  /** Media type, never one that a page of this site could load as a script or style. */
  readonly type: string;
  readonly disposition: 'inline' | 'attachment';
  /** `Content-Security-Policy`. */
  readonly policy: string;
}

/** What browsers show by themselves; all else is saved. */
const shown =
  /^(?:image\/(?:png|jpeg|gif|webp|avif|bmp|svg\+xml)|video\/(?:mp4|webm|ogg)|audio\/(?:mpeg|mp4|ogg|wave?|x-wav|flac|webm)|application\/pdf)$/;
/** Text, and what would run: told as plain text, so that it is read and not run. */
const text = /^text\/|^application\/(?:javascript|ecmascript|json|ld\+json|x-sh|sql|toml|(?:[\w.-]+\+)?xml)$/;

const pdfFence = "default-src 'none'; style-src 'unsafe-inline'; object-src 'self'";

/** So many bytes from the start are read to tell text from other files. */
export const headBytes = 8000;

/** Where the bytes are plain text they decide; the name decides between the formats of other files. */
export function servedType(name: string, head: Buffer): ServedType {
  const type = typeOf(name, head);
  if (type.startsWith('text/')) return { type, disposition: 'inline', policy: downloadPolicy };
  return {
    type,
    disposition: shown.test(type) ? 'inline' : 'attachment',
    // the viewer for PDF does not open in a sandbox
    policy: type === 'application/pdf' ? pdfFence : downloadPolicy,
  };
}

function typeOf(name: string, head: Buffer): string {
  const content = typeOfContent(name, head);
  if (content.startsWith('text/') || hasMarkOfUtf16(head)) return textTypeOf(wholeCharacters(head));
  const named = mediaTypeOf(name);
  if (shown.test(named)) return named;
  if (shown.test(content)) return content;
  return text.test(named) ? 'application/octet-stream' : named;
}

/** UTF-16 is text though it holds NUL bytes. */
const hasMarkOfUtf16 = (head: Buffer): boolean => ['fffe', 'feff'].includes(head.subarray(0, 2).toString('hex'));

/** Without the last character of the head of a longer file, which may be cut. */
function wholeCharacters(head: Buffer): Buffer {
  if (head.length < headBytes) return head;
  let end = head.length - 1;
  while (end > head.length - 4 && (head[end]! & 0xc0) === 0x80) end--;
  return head.subarray(0, end);
}
