import { createHash } from 'node:crypto';
import { multipart } from '@mortise/plugin-sdk/testing';
import { tgz, zip } from '@mortise/packages/testing';

const metadataOf = (version: string) => `Metadata-Version: 2.1\nName: kit-tool\nVersion: ${version}\n`;
export const wheel = (version: string, metadata: string | Buffer = metadataOf(version)): Buffer =>
  zip({
    'kit_tool/__init__.py': '',
    [`kit_tool-${version}.dist-info/METADATA`]: metadata,
    [`kit_tool-${version}.dist-info/WHEEL`]: 'Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
    [`kit_tool-${version}.dist-info/RECORD`]: '',
  });
export const source = (version: string): Buffer =>
  tgz({
    [`kit_tool-${version}/setup.py`]: '',
    [`kit_tool-${version}/PKG-INFO`]: `Metadata-Version: 2.1\nName: kit-tool\nVersion: ${version}\n`,
  });
export const wheelName = (version: string): string => `kit_tool-${version}-py3-none-any.whl`;

/** What twine sends. */
export function upload(fields: Readonly<Record<string, string>>, name: string, data: Buffer) {
  const all = {
    ':action': 'file_upload',
    name: 'kit-tool',
    version: '1.0',
    sha256_digest: createHash('sha256').update(data).digest('hex'),
    ...fields,
  };
  const parts = Object.entries(all).map(([field, value]) => ({ name: field, value }));
  return { method: 'POST', path: '', ...multipart([...parts, { name: 'content', value: data, fileName: name }]) };
}
