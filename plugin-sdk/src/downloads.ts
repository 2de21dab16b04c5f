import { Problem } from './errors.js';

/** The wanted part of `bytes=…` (RFC 9110, 14); undefined for none, several parts or another unit: then all of it. */
export function byteRange(header: string | undefined, size: number): { start: number; end: number } | undefined {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if ((!from && !to) || size === 0) return undefined;
  const start = from ? Number(from) : Math.max(0, size - Number(to));
  const end = from && to ? Math.min(Number(to), size - 1) : size - 1;
  if (from && to && Number(to) < Number(from)) return undefined;
  if (start >= size || (!from && Number(to) === 0))
    throw new Problem('range_not_satisfiable', `there are only ${size} bytes`, {
      headers: { 'content-range': `bytes */${size}` },
    });
  return { start, end };
}

/** `Content-Disposition` with a name of any signs (RFC 6266, 4; RFC 8187). */
export function contentDisposition(kind: 'inline' | 'attachment', name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\]/g, '_');
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
