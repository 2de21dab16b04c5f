import { gzipSync } from 'node:zlib';
import { tar, type TarFile } from '@mortise/packages/testing';

export interface PackageOptions {
  readonly pack?: (data: Buffer) => Buffer;
  readonly files?: readonly TarFile[];
}

/** A package with these values besides the usual ones; undefined leaves a key out. */
export function pkg(
  values: Readonly<Record<string, string | readonly string[] | undefined>> = {},
  { pack = gzipSync, files = [{ name: 'usr/bin/tool', data: '#!/bin/sh\n' }] }: PackageOptions = {},
): Buffer {
  const all = {
    pkgname: 'tool',
    pkgbase: 'tool',
    pkgver: '1.0-1',
    pkgdesc: 'a tool',
    url: 'https://example.com/tool',
    builddate: '1709287200',
    packager: 'Ada <ada@example.com>',
    size: '4096',
    arch: 'x86_64',
    ...values,
  };
  const lines = Object.entries(all).flatMap(([key, value]) =>
    (value === undefined ? [] : [value].flat()).map((one) => `${key} = ${one}\n`),
  );
  return pack(tar([{ name: '.PKGINFO', data: `# made for a test\n${lines.join('')}` }, { name: '.MTREE' }, ...files]));
}
