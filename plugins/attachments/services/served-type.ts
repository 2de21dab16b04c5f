import { downloadFence } from '@mortise/plugin-sdk';
import { mediaTypeOf } from './media-type.js';

export interface ServedType {
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

/** Type and disposition of a download by the name of the file. */
export function servedType(name: string): ServedType {
  const type = mediaTypeOf(name);
  if (text.test(type)) return { type: 'text/plain; charset=utf-8', disposition: 'inline', policy: downloadFence };
  return {
    type,
    disposition: shown.test(type) ? 'inline' : 'attachment',
    // the viewer for PDF does not open in a sandbox
    policy: type === 'application/pdf' ? pdfFence : downloadFence,
  };
}
