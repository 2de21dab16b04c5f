import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { tar } from '@mortise/packages/testing';

/** Only the last member has the blocks that end a tar. */
const member = (files: Readonly<Record<string, string>>, end = false): Buffer =>
  gzipSync(end ? tar(files) : tar(files).subarray(0, -1024));

/** A signed package as abuild makes it; `control` is the member that its checksum covers. */
export function apk(fields: Readonly<Record<string, string | undefined>>): { data: Buffer; control: Buffer } {
  const files = member({ 'usr/bin/tool': '#!/bin/sh\n' }, true);
  const datahash = createHash('sha256').update(files).digest('hex');
  const info = { pkgname: 'tool', pkgver: '1.0-r0', arch: 'x86_64', pkgdesc: 'a tool', datahash, ...fields };
  const lines = Object.entries(info).flatMap(([key, value]) => (value === undefined ? [] : [`${key} = ${value}\n`]));
  const control = member({ '.PKGINFO': lines.join('') });
  const signature = member({ '.SIGN.RSA.builder.rsa.pub': 'none' });
  return { control, data: Buffer.concat([signature, control, files]) };
}
