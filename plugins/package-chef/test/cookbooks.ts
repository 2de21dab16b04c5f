import { tgz } from '@mortise/packages/testing';

/** A cookbook with these fields in its metadata. */
export function cookbook(fields: Readonly<Record<string, unknown>> = {}): Buffer {
  const metadata = {
    name: 'tool',
    version: '1.0.0',
    description: 'a cookbook',
    maintainer: 'Ada',
    license: 'MIT',
    ...fields,
  };
  return tgz({ 'tool/metadata.json': JSON.stringify(metadata), 'tool/README.md': '# tool\n' });
}
