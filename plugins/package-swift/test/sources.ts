import { zip } from '@mortise/packages/testing';

export interface SwiftUpload {
  readonly archive?: Buffer;
  readonly metadata?: string;
  readonly signature?: Buffer;
  /** Parts as other clients send them: the archive is a file with a name. */
  readonly named?: boolean;
}

/** A source archive as `git archive` makes it, with manifests for further versions of Swift. */
export const source = (version: string, more: Readonly<Record<string, string>> = {}): Buffer =>
  zip({
    'tool/Package.swift': `// swift-tools-version:5.7\n// ${version}\nimport PackageDescription\n`,
    ...Object.fromEntries(Object.entries(more).map(([swift, text]) => [`tool/Package@swift-${swift}.swift`, text])),
    'tool/Sources/tool.swift': 'let a = 1\n',
    'tool/Tests/Fixtures/Package.swift': 'not a manifest of this package\n',
  });

/** A publication as SwiftPM writes it: parts have types, but no file names. */
export function publication({ archive, metadata, signature, named = false }: SwiftUpload) {
  const boundary = 'D1B7A9A0-8C0B-4F43-9C0A-6C5C1C8B7C11';
  const part = (name: string, type: string, data: Buffer | string, file = '') =>
    Buffer.concat([
      Buffer.from(
        `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\nContent-Type: ${type}\r\nContent-Transfer-Encoding: binary\r\n\r\n`,
      ),
      Buffer.from(data as string),
      Buffer.from('\r\n'),
    ]);
  const parts = [
    ...(archive ? [part('source-archive', 'application/zip', archive, named ? '; filename="a.zip"' : '')] : []),
    ...(signature ? [part('source-archive-signature', 'application/octet-stream', signature)] : []),
    ...(metadata === undefined ? [] : [part('metadata', 'application/json', metadata)]),
    Buffer.from(`--${boundary}--\r\n`),
  ];
  return {
    payload: Buffer.concat(parts),
    headers: {
      accept: 'application/vnd.swift.registry.v1+json',
      'content-type': `multipart/form-data;boundary="${boundary}"`,
      ...(signature && { 'x-swift-package-signature-format': 'cms-1.0.0' }),
    },
  };
}
