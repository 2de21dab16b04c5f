import { gzipSync } from 'node:zlib';
import { ar, tar, tgz } from '@mortise/packages/testing';

export interface DebOptions {
  readonly pack?: (data: Buffer) => Buffer;
  readonly suffix?: string;
  /** What follows the fields. */
  readonly more?: string;
}

/** A package with these fields besides the usual ones; undefined leaves a field out. */
export function deb(
  fields: Readonly<Record<string, string | undefined>> = {},
  { pack = gzipSync, suffix = '.gz', more = '' }: DebOptions = {},
): Buffer {
  const all = {
    Package: 'tool',
    Version: '1.0',
    Architecture: 'all',
    Maintainer: 'Ada <ada@example.com>',
    Description: 'a tool',
    ...fields,
  };
  const lines = Object.entries(all).flatMap(([key, value]) => (value === undefined ? [] : [`${key}: ${value}\n`]));
  return ar({
    'debian-binary': '2.0\n',
    [`control.tar${suffix}`]: pack(tar({ './control': lines.join('') + more })),
    'data.tar.gz': tgz([{ name: './usr/', type: '5' }]),
  });
}

/** A package whose control archive is this. */
export const around = (control: Buffer, suffix: string): Buffer =>
  ar({ 'debian-binary': '2.0\n', [`control.tar${suffix}`]: control, 'data.tar.gz': tgz({}) });
