import { createHash } from 'node:crypto';
import type { PackageFile, PackageVersion } from '@mortise/packages/api';
import { isRecord, type Json } from './publication.js';
import { inOrder, isPreRelease } from './versions.js';

export interface PackumentParts {
  readonly name: string;
  readonly versions: readonly PackageVersion[];
  readonly files: ReadonlyMap<number, readonly PackageFile[]>;
  /** Tag → version. */
  readonly tags: Readonly<Record<string, string>>;
  readonly stars: readonly string[];
  readonly maintainers: readonly { readonly name: string; readonly email: string }[];
  readonly baseUrl: string;
}

const time = (milliseconds: number) => new Date(milliseconds).toISOString();

/** Fields that installers ask for in the short form. */
const abbreviatedFields = [
  'name',
  'version',
  'deprecated',
  'dependencies',
  'optionalDependencies',
  'devDependencies',
  'bundleDependencies',
  'bundledDependencies',
  'peerDependencies',
  'peerDependenciesMeta',
  'acceptDependencies',
  'bin',
  'directories',
  'engines',
  'os',
  'cpu',
  'libc',
  '_hasShrinkwrap',
  'hasInstallScript',
  'funding',
  'dist',
];

export const tarballUrl = (baseUrl: string, name: string, version: string, file: string) =>
  `${baseUrl}/${encodeURIComponent(name)}/-/${encodeURIComponent(version)}/${encodeURIComponent(file)}`;

function versionEntry(parts: PackumentParts, version: PackageVersion): Json {
  const { readme: _readme, dist, ...manifest } = version.metadata;
  const file = parts.files.get(version.id)?.[0];
  return {
    ...manifest,
    _id: `${parts.name}@${version.version}`,
    name: parts.name,
    version: version.version,
    dist: {
      ...(isRecord(dist) ? dist : {}),
      ...(file
        ? {
            integrity: `sha512-${Buffer.from(file.sha512, 'hex').toString('base64')}`,
            shasum: file.sha1,
            tarball: tarballUrl(parts.baseUrl, parts.name, version.version, file.name),
          }
        : {}),
    },
  };
}

/** The version whose description and readme stand for the package. */
export function leading(versions: readonly PackageVersion[]): PackageVersion | undefined {
  const sorted = inOrder(versions);
  return sorted.findLast((version) => !isPreRelease(version.version)) ?? sorted.at(-1);
}

/** The whole document of a package (reference: 8.4). */
export function packument(parts: PackumentParts): Json {
  const lead = leading(parts.versions)?.metadata ?? {};
  const sorted = inOrder(parts.versions);
  const modified = Math.max(...sorted.map((version) => version.createdAt));
  const document: Json = { _id: parts.name, name: parts.name, 'dist-tags': parts.tags };
  document.versions = Object.fromEntries(sorted.map((version) => [version.version, versionEntry(parts, version)]));
  document.time = {
    created: time(Math.min(...sorted.map((version) => version.createdAt))),
    modified: time(modified),
    ...Object.fromEntries(sorted.map((version) => [version.version, time(version.createdAt)])),
  };
  document.maintainers = parts.maintainers;
  for (const field of ['description', 'readme', 'homepage', 'repository', 'author', 'license', 'keywords', 'bugs']) {
    if (lead[field] !== undefined) document[field] = lead[field];
  }
  if (parts.stars.length) document.users = Object.fromEntries(parts.stars.map((name) => [name, true]));
  return { ...document, _rev: `${sorted.length}-${digest(JSON.stringify(document)).slice(0, 32)}` };
}

/** `application/vnd.npm.install-v1+json`: what installers need. */
export function abbreviated(parts: PackumentParts): Json {
  const sorted = inOrder(parts.versions);
  const versions = sorted.map((version) => {
    const entry = versionEntry(parts, version);
    return [
      version.version,
      Object.fromEntries(
        abbreviatedFields.filter((field) => entry[field] !== undefined).map((field) => [field, entry[field]]),
      ),
    ];
  });
  return {
    name: parts.name,
    modified: time(Math.max(...sorted.map((version) => version.createdAt))),
    'dist-tags': parts.tags,
    versions: Object.fromEntries(versions),
  };
}

export const digest = (text: string) => createHash('sha256').update(text).digest('hex');
