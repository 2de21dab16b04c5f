import type { Readable } from 'node:stream';
import { BadRequest, isJsonObject } from '@mortise/plugin-sdk';
import { gunzip, isPlainPath, parseSemver, readYaml, tarEntries } from '@mortise/packages/api';

/** pubspec.yaml as JSON. */
type Pubspec = Readonly<Record<string, unknown>> & {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
};

/** Stored metadata of a version. */
export interface StoredPackage {
  readonly pubspec: Pubspec;
  readonly readme?: string;
}

const maxPubspec = 128 * 1024;
const maxReadme = 64 * 1024;
/** What aliases may stand for, in characters. */
const maxRepeated = 64 * 1024;
const maxNodes = 20_000;
const maxDepth = 30;
const namePattern = /^[a-zA-Z_][a-zA-Z0-9_]*$/;
/** The limit of pub.dev for what a package unpacks to is 256 MiB. */
const limits = { maxBytes: 512 * 1024 * 1024, maxEntries: 50_000 };

/** Reads a gzipped tar with pubspec.yaml at its top. */
export async function readPackage(content: Readable): Promise<StoredPackage> {
  let pubspec: string | undefined;
  let readme: string | undefined;
  for await (const entry of tarEntries(gunzip(content), limits)) {
    const name = entry.name.replace(/^\.\//, '');
    if (name === '') continue;
    if (!isPlainPath(name) || entry.kind === 'other')
      throw BadRequest(`The package holds something that is no plain file: ${entry.name}`);
    if (entry.kind !== 'file') continue;
    if (name === 'pubspec.yaml') pubspec = (await entry.content(maxPubspec)).toString('utf8');
    if (/^readme\.md$/i.test(name) && entry.size <= maxReadme)
      readme = (await entry.content(maxReadme)).toString('utf8');
  }
  if (pubspec === undefined) throw BadRequest('The package has no pubspec.yaml.');
  return { pubspec: readPubspec(pubspec), ...(readme && { readme }) };
}

function readPubspec(text: string): Pubspec {
  const parsed = readYaml(text, { what: 'The pubspec.yaml', maxRepeated });
  if (!isJsonObject(parsed)) throw BadRequest('The pubspec.yaml is no mapping.');
  checkSize(parsed);
  const pubspec = parsed as Pubspec;
  const { name, version } = pubspec as { name: unknown; version: unknown };
  if (typeof name !== 'string' || name.length > 100 || !namePattern.test(name))
    throw BadRequest('package name is invalid');
  if (typeof version !== 'string' || !parseSemver(version)) throw BadRequest('package version is invalid');
  return pubspec;
}

/** Aliases make much of little: as JSON, everything is written out. */
function checkSize(root: unknown): void {
  let count = 0;
  const walk = (value: unknown, depth: number): void => {
    if (++count > maxNodes || depth > maxDepth) throw BadRequest('The pubspec.yaml holds too much.');
    if (typeof value === 'object' && value !== null) for (const one of Object.values(value)) walk(one, depth + 1);
  };
  walk(root, 0);
}
