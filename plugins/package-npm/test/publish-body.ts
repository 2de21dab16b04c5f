import { createHash } from 'node:crypto';

export const bytes = (version: string) => Buffer.from(`tarball of ${version}`);
const integrity = (data: Buffer) => `sha512-${createHash('sha512').update(data).digest('base64')}`;

/** The body of a publish request, as the npm client sends it. */
// oxlint-disable-next-line typescript/no-explicit-any
export function publishBody(version: string, change: (body: Record<string, any>) => void = () => undefined): object {
  const data = bytes(version);
  const name = '@kit/hello';
  const body = {
    _id: name,
    name,
    'dist-tags': { latest: version },
    versions: {
      [version]: {
        name,
        version,
        description: 'for a test',
        dist: { integrity: integrity(data), shasum: createHash('sha1').update(data).digest('hex') },
      },
    },
    _attachments: {
      [`${name}-${version}.tgz`]: {
        content_type: 'application/octet-stream',
        data: data.toString('base64'),
        length: data.length,
      },
    },
  };
  change(body);
  return body;
}
