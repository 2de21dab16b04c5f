import { tar, zip, zstd } from '@mortise/packages/testing';

/** What index.json says, with these fields besides the usual ones; undefined leaves one out. */
export const indexOf = (fields: Readonly<Record<string, unknown>> = {}): string =>
  JSON.stringify({
    name: 'tool',
    version: '1.0',
    build: 'py0_0',
    build_number: 0,
    subdir: 'linux-64',
    depends: ['python >=3.9'],
    license: 'MIT',
    timestamp: 1709287200000,
    ...fields,
  });

/** A package in the newer container. */
export function conda(
  fields: Readonly<Record<string, unknown>> = {},
  about: object = { summary: 'a tool', home: 'https://example.com' },
): Buffer {
  return around(zstd(tar({ 'info/index.json': indexOf(fields), 'info/about.json': JSON.stringify(about) })));
}

/** The newer container around an info archive. */
export const around = (info: Buffer): Buffer =>
  zip({
    'metadata.json': '{"conda_pkg_format_version": 2}',
    'info-tool.tar.zst': info,
    'pkg-tool.tar.zst': zstd(tar({})),
  });
