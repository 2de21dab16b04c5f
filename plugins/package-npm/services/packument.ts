import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PackageFile, PackageVersion } from '@mortise/packages/api';
import { isRecord, type Json } from './json.js';
import { sortByVersion, isPreRelease } from './versions.js';

export interface Person {
  readonly name: string;
  readonly email: string;
}

export interface PackumentInput {
  readonly name: string;
  /** `_rev`: another one after each change. */
  readonly revision: string;
  readonly versions: readonly PackageVersion[];
  readonly files: ReadonlyMap<number, readonly PackageFile[]>;
  /** Tag → version. */
  readonly tags: Readonly<Record<string, string>>;
  readonly stars: readonly string[];
  readonly maintainers: readonly Person[];
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

/** What the publisher told of the tarball, and where clients find its provenance. */
function distOf({ baseUrl, name }: PackumentInput, { version, metadata: { dist } }: PackageVersion): Json {
  if (!isRecord(dist)) return {};
  const { attestations, ...rest } = dist;
  if (!isRecord(attestations)) return rest;
  const url = `${baseUrl}/-/npm/v1/attestations/${encodeURIComponent(name)}@${encodeURIComponent(version)}`;
  return { ...rest, attestations: { url, ...attestations } };
}

function versionEntry(input: PackumentInput, version: PackageVersion): Json {
  const { readme: _readme, dist: _dist, ...manifest } = version.metadata;
  const file = input.files.get(version.id)?.find((one) => one.isLead);
  return {
    ...manifest,
    _id: `${input.name}@${version.version}`,
    name: input.name,
    version: version.version,
    dist: {
      ...distOf(input, version),
      ...(file
        ? {
            integrity: `sha512-${Buffer.from(file.sha512, 'hex').toString('base64')}`,
            shasum: file.sha1,
            tarball: tarballUrl(input.baseUrl, input.name, version.version, file.name),
          }
        : {}),
    },
  };
}

/** The version whose description and readme stand for the package. */
export function leading(versions: readonly PackageVersion[]): PackageVersion | undefined {
  const sorted = sortByVersion(versions);
  return sorted.findLast((version) => !isPreRelease(version.version)) ?? sorted.at(-1);
}

/** The whole document of a package (reference: 8.4), as text. */
export async function packument(input: PackumentInput): Promise<string> {
  const lead = leading(input.versions)?.metadata ?? {};
  const sorted = sortByVersion(input.versions);
  const times = sorted.map((version) => version.createdAt);
  const head = { _id: input.name, name: input.name, 'dist-tags': input.tags };
  const more: Json = {
    time: {
      created: time(earliest(times)),
      modified: time(latest(times)),
      ...Object.fromEntries(sorted.map((version) => [version.version, time(version.createdAt)])),
    },
    maintainers: input.maintainers,
  };
  for (const field of ['description', 'readme', 'homepage', 'repository', 'author', 'license', 'keywords', 'bugs']) {
    if (lead[field] !== undefined) more[field] = lead[field];
  }
  if (input.stars.length) more.users = Object.fromEntries(input.stars.map((name) => [name, true]));
  const versions = await membersOf(sorted, (version) => versionEntry(input, version));
  return joined(head, versions, { ...more, _rev: input.revision });
}

/** `application/vnd.npm.install-v1+json`: what installers need, as text. */
export async function abbreviated(input: PackumentInput): Promise<string> {
  const sorted = sortByVersion(input.versions);
  const modified = time(latest(sorted.map((version) => version.createdAt)));
  const versions = await membersOf(sorted, (version) => {
    const entry = versionEntry(input, version);
    return Object.fromEntries(
      abbreviatedFields.filter((field) => entry[field] !== undefined).map((field) => [field, entry[field]]),
    );
  });
  return joined({ name: input.name, modified, 'dist-tags': input.tags }, versions, {});
}

const earliest = (times: readonly number[]) => times.reduce((one, other) => Math.min(one, other));
const latest = (times: readonly number[]) => times.reduce((one, other) => Math.max(one, other));

/** Others have their turn in between: there may be thousands. */
const atOnce = 100;

async function membersOf(versions: readonly PackageVersion[], entry: (version: PackageVersion) => Json) {
  const members: string[] = [];
  for (const [index, version] of versions.entries()) {
    members.push(`${JSON.stringify(version.version)}:${JSON.stringify(entry(version))}`);
    if (index % atOnce === atOnce - 1) await nextTurn();
  }
  return members.join(',');
}

/** An object with `versions` in its midst; the parts before are never empty. */
function joined(before: Json, versions: string, after: Json): string {
  const rest = JSON.stringify(after).slice(1);
  return `${JSON.stringify(before).slice(0, -1)},"versions":{${versions}}${rest === '}' ? rest : `,${rest}`}`;
}

export const digest = (text: string) => createHash('sha256').update(text).digest('hex');
