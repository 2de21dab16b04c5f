import { randomBytes } from 'node:crypto';
import { zip } from '@mortise/packages/testing';

const namespace = 'http://schemas.microsoft.com/packaging/2013/05/nuspec.xsd';

export const nuspec = (id: string, version: string, more = ''): string =>
  `<?xml version="1.0" encoding="utf-8"?>\n<package xmlns="${namespace}"><metadata><id>${id}</id><version>${version}</version><authors>Ada</authors><description>a tool</description>${more}</metadata></package>`;

export const nupkg = (id: string, version: string, more = '', files: Record<string, string | Buffer> = {}): Buffer =>
  zip({ [`${id}.nuspec`]: nuspec(id, version, more), 'lib/net8.0/a.dll': 'none', ...files });

/** The head of portable symbols with this id, and nothing more. */
export function pdb(guid: Buffer = randomBytes(16)): Buffer {
  const version = Buffer.from('PDB v1.0\0\0\0\0');
  const head = Buffer.alloc(16);
  head.write('BSJB', 0, 'latin1');
  head.writeUInt32LE(version.length, 12);
  const streams = Buffer.alloc(4);
  streams.writeUInt16LE(1, 2);
  const name = Buffer.from('#Pdb\0\0\0\0');
  const stream = Buffer.alloc(8);
  stream.writeUInt32LE(16 + version.length + 4 + 8 + name.length, 0);
  stream.writeUInt32LE(20, 4);
  return Buffer.concat([head, version, streams, stream, name, guid, Buffer.alloc(4)]);
}
