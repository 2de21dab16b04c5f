import { tgz } from '@mortise/packages/testing';

export const pub = (version: string, more = '', files: Readonly<Record<string, string>> = {}): Buffer =>
  tgz({
    'pubspec.yaml': `name: kit_tool\nversion: ${version}\ndescription: a tool\n${more}`,
    'README.md': '# Kit\n',
    'lib/kit_tool.dart': '',
    ...files,
  });

/** The form that dart sends. */
export function upload(data: Buffer) {
  const boundary = 'dart-http-boundary-Xh3';
  const head = `--${boundary}\r\ncontent-type: application/octet-stream\r\ncontent-disposition: form-data; name="file"; filename="package.tar.gz"\r\n\r\n`;
  return {
    method: 'POST' as const,
    payload: Buffer.concat([Buffer.from(head), data, Buffer.from(`\r\n--${boundary}--\r\n`)]),
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  };
}
