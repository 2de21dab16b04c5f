import { BadRequest } from '@mortise/plugin-sdk';
import {
  isPlainPath,
  readXml,
  xmlChild,
  xmlText,
  zipEntries,
  type ArchiveEntry,
  type RandomAccess,
  type XmlElement,
} from '@mortise/packages/api';
import { normalizedVersion } from './versions.js';

interface NugetDependency {
  readonly id: string;
  readonly range: string;
}
interface DependencyGroup {
  readonly framework: string;
  readonly dependencies: readonly NugetDependency[];
}

/** Stored metadata of a version. */
export interface NugetMetadata {
  readonly title: string;
  readonly authors: string;
  readonly owners: string;
  readonly description: string;
  readonly summary: string;
  readonly copyright: string;
  readonly language: string;
  readonly tags: string;
  readonly releaseNotes: string;
  readonly projectUrl: string;
  readonly iconUrl: string;
  readonly licenseUrl: string;
  readonly license: string;
  readonly repositoryUrl: string;
  readonly requireLicenseAcceptance: boolean;
  readonly developmentDependency: boolean;
  readonly minClientVersion: string;
  readonly packageTypes: readonly string[];
  readonly groups: readonly DependencyGroup[];
  readonly readme?: string;
}

interface Nuspec {
  readonly id: string;
  /** Normalized. */
  readonly version: string;
  readonly metadata: NugetMetadata;
  readonly bytes: Buffer;
}

export const maxNuspec = 3 * 1024 * 1024;
const maxReadme = 64 * 1024;
const idPattern = /^\w+(?:[.-]\w+)*$/;
const maxDependencies = 5000;
/** What a package may unpack to. */
const limits = { maxBytes: 8 * 1024 ** 3, maxEntries: 100_000 };

/** Entries of a package; nothing in it may leave its place. */
export async function entriesOf(source: RandomAccess): Promise<readonly ArchiveEntry[]> {
  const entries = await zipEntries(source, limits);
  for (const { name, kind } of entries)
    if (!isPlainPath(name) || kind === 'link')
      throw BadRequest(`The package holds something that is no plain file: ${name}`);
  return entries;
}

const web = (text: string) => (/^https?:\/\/\S+$/i.test(text) ? text : '');

/** The description at the top of a package. */
export async function readNuspec(entries: readonly ArchiveEntry[]): Promise<Nuspec> {
  const matches = entries.filter(({ name }) => /^[^/]+\.nuspec$/i.test(name));
  if (matches.length !== 1) throw BadRequest('The package must have one .nuspec at its top.');
  const bytes = await matches[0]!.content(maxNuspec);
  const metadata = xmlChild(readXml(textOf(bytes)), 'metadata');
  const id = xmlText(metadata, 'id');
  const version = normalizedVersion(xmlText(metadata, 'version'));
  if (id.length > 100 || !idPattern.test(id)) throw BadRequest('package id is invalid');
  if (!version) throw BadRequest('package version is invalid');
  const readme = await readmeOf(entries, xmlText(metadata, 'readme'));
  return { id, version, bytes, metadata: { ...metadataOf(metadata), ...(readme && { readme }) } };
}

/** What a .nuspec says, but for the readme, which is a file beside it. */
export const nuspecMetadata = (bytes: Buffer): Omit<NugetMetadata, 'readme'> =>
  metadataOf(xmlChild(readXml(textOf(bytes)), 'metadata'));

function textOf(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return bytes.toString('utf16le', 2);
  return bytes.toString('utf8');
}

async function readmeOf(entries: readonly ArchiveEntry[], path: string): Promise<string> {
  const wanted = path.replace(/\\/g, '/').toLowerCase();
  const entry = wanted && entries.find(({ name }) => name.toLowerCase() === wanted);
  return entry && entry.size <= maxReadme ? (await entry.content(maxReadme)).toString('utf8') : '';
}

function metadataOf(element: XmlElement | undefined): Omit<NugetMetadata, 'readme'> {
  const text = (name: string) => xmlText(element, name);
  const license = xmlChild(element, 'license');
  return {
    title: text('title'),
    authors: text('authors'),
    owners: text('owners'),
    description: text('description'),
    summary: text('summary'),
    copyright: text('copyright'),
    language: text('language'),
    tags: text('tags'),
    releaseNotes: text('releaseNotes'),
    projectUrl: web(text('projectUrl')),
    iconUrl: web(text('iconUrl')),
    licenseUrl: web(text('licenseUrl')),
    license: license?.attributes.type === 'file' ? '' : (license?.text ?? ''),
    repositoryUrl: web(xmlChild(element, 'repository')?.attributes.url ?? ''),
    requireLicenseAcceptance: text('requireLicenseAcceptance').toLowerCase() === 'true',
    developmentDependency: text('developmentDependency').toLowerCase() === 'true',
    minClientVersion: element?.attributes.minClientVersion ?? '',
    packageTypes: (xmlChild(element, 'packageTypes')?.children ?? []).flatMap((one) => one.attributes.name ?? []),
    groups: groupsOf(xmlChild(element, 'dependencies')),
  };
}

function groupsOf(element: XmlElement | undefined): readonly DependencyGroup[] {
  if (!element) return [];
  const of = (children: readonly XmlElement[]) =>
    children
      .filter(({ name }) => name === 'dependency')
      .map(({ attributes }) => ({ id: attributes.id ?? '', range: attributes.version ?? '' }))
      .filter(({ id }) => idPattern.test(id));
  const plain = of(element.children);
  const groups = [
    ...(plain.length > 0 ? [{ framework: '', dependencies: plain }] : []),
    ...element.children
      .filter(({ name }) => name === 'group')
      .map(({ attributes, children }) => ({ framework: attributes.targetFramework ?? '', dependencies: of(children) })),
  ];
  if (groups.reduce((sum, { dependencies }) => sum + dependencies.length + 1, 0) > maxDependencies)
    throw BadRequest('The package has too many dependencies.');
  return groups;
}
