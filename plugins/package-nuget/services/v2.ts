import { escapeXml } from '@mortise/packages/api';
import type { Entry } from './feed.js';
import { isPrerelease } from './versions.js';
import { contentOf } from './v3.js';

/** Documents of the feed of version 2: OData as Atom. */

const head = '<?xml version="1.0" encoding="utf-8"?>\n';
const namespaces =
  'xmlns="http://www.w3.org/2005/Atom" xmlns:d="http://schemas.microsoft.com/ado/2007/08/dataservices" xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata"';

export const serviceDocument = (base: string): string =>
  `${head}<service xmlns="http://www.w3.org/2007/app" xmlns:atom="http://www.w3.org/2005/Atom" xml:base="${escapeXml(base)}/"><workspace><atom:title>Default</atom:title><collection href="Packages"><atom:title>Packages</atom:title></collection></workspace></service>`;

const columns: readonly (readonly [string, string])[] = [
  ['Id', 'Edm.String'],
  ['Version', 'Edm.String'],
  ['NormalizedVersion', 'Edm.String'],
  ['Title', 'Edm.String'],
  ['Authors', 'Edm.String'],
  ['Copyright', 'Edm.String'],
  ['Created', 'Edm.DateTime'],
  ['Dependencies', 'Edm.String'],
  ['Description', 'Edm.String'],
  ['DownloadCount', 'Edm.Int64'],
  ['IconUrl', 'Edm.String'],
  ['IsLatestVersion', 'Edm.Boolean'],
  ['IsAbsoluteLatestVersion', 'Edm.Boolean'],
  ['IsPrerelease', 'Edm.Boolean'],
  ['Language', 'Edm.String'],
  ['LastUpdated', 'Edm.DateTime'],
  ['LicenseUrl', 'Edm.String'],
  ['Listed', 'Edm.Boolean'],
  ['MinClientVersion', 'Edm.String'],
  ['PackageHash', 'Edm.String'],
  ['PackageHashAlgorithm', 'Edm.String'],
  ['PackageSize', 'Edm.Int64'],
  ['ProjectUrl', 'Edm.String'],
  ['Published', 'Edm.DateTime'],
  ['ReleaseNotes', 'Edm.String'],
  ['RequireLicenseAcceptance', 'Edm.Boolean'],
  ['Summary', 'Edm.String'],
  ['Tags', 'Edm.String'],
  ['VersionDownloadCount', 'Edm.Int64'],
];

const setOf = (name: string, parameters: readonly (readonly [string, string])[]) =>
  `<FunctionImport Name="${name}" ReturnType="Collection(NuGetGallery.V2FeedPackage)" EntitySet="Packages">${parameters
    .map(([parameter, kind]) => `<Parameter Name="${parameter}" Type="Edm.${kind}"/>`)
    .join('')}</FunctionImport>`;

export const metadataDocument = (): string =>
  `${head}<edmx:Edmx Version="1.0" xmlns:edmx="http://schemas.microsoft.com/ado/2007/06/edmx"><edmx:DataServices m:DataServiceVersion="2.0" m:MaxDataServiceVersion="2.0" xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata"><Schema Namespace="NuGetGallery" xmlns="http://schemas.microsoft.com/ado/2006/04/edm"><EntityType Name="V2FeedPackage" m:HasStream="true"><Key><PropertyRef Name="Id"/><PropertyRef Name="Version"/></Key>${columns
    .map(
      ([name, kind]) =>
        `<Property Name="${name}" Type="${kind}"${/^(?:Id|Version)$/.test(name) ? ' Nullable="false"' : ''}/>`,
    )
    .join(
      '',
    )}</EntityType><EntityContainer Name="V2FeedContext" m:IsDefaultEntityContainer="true"><EntitySet Name="Packages" EntityType="NuGetGallery.V2FeedPackage"/>${setOf(
    'Search',
    [
      ['searchTerm', 'String'],
      ['targetFramework', 'String'],
      ['includePrerelease', 'Boolean'],
      ['semVerLevel', 'String'],
    ],
  )}${setOf('FindPackagesById', [
    ['id', 'String'],
    ['semVerLevel', 'String'],
  ])}</EntityContainer></Schema></edmx:DataServices></edmx:Edmx>`;

/** An entry with what it is among the versions of its package. */
export interface FeedEntry extends Entry {
  readonly isLatest: boolean;
  readonly isAbsoluteLatest: boolean;
}

function valuesOf(entry: FeedEntry): Readonly<Record<string, string>> {
  const { package: package_, version, metadata } = entry;
  const time = new Date(version.createdAt).toISOString();
  const dependencies = metadata.groups.flatMap(({ framework, dependencies: list }) =>
    list.length > 0 ? list.map(({ id, range }) => `${id}:${range}:${framework}`) : framework ? [`::${framework}`] : [],
  );
  return {
    Id: package_.name,
    Version: version.version,
    NormalizedVersion: version.version,
    Title: metadata.title || package_.name,
    Authors: metadata.authors,
    Copyright: metadata.copyright,
    Created: time,
    Dependencies: dependencies.join('|'),
    Description: metadata.description,
    DownloadCount: String(version.downloadCount),
    IconUrl: metadata.iconUrl,
    IsLatestVersion: String(entry.isLatest),
    IsAbsoluteLatestVersion: String(entry.isAbsoluteLatest),
    IsPrerelease: String(isPrerelease(version.version)),
    Language: metadata.language,
    LastUpdated: time,
    LicenseUrl: metadata.licenseUrl,
    Listed: 'true',
    MinClientVersion: metadata.minClientVersion,
    PackageHash: Buffer.from(entry.sha512, 'hex').toString('base64'),
    PackageHashAlgorithm: 'SHA512',
    PackageSize: String(entry.size),
    ProjectUrl: metadata.projectUrl,
    Published: time,
    ReleaseNotes: metadata.releaseNotes,
    RequireLicenseAcceptance: String(metadata.requireLicenseAcceptance),
    Summary: metadata.summary,
    Tags: metadata.tags,
    VersionDownloadCount: String(version.downloadCount),
  };
}

function entryXml(base: string, entry: FeedEntry, attributes = ''): string {
  const { package: package_, version, metadata } = entry;
  const values = valuesOf(entry);
  const id = `${base}/Packages(Id='${encodeURIComponent(package_.name)}',Version='${encodeURIComponent(version.version)}')`;
  const properties = columns.map(([name, kind]) => {
    const typed = kind === 'Edm.String' ? '' : ` m:type="${kind}"`;
    return values[name] === ''
      ? `<d:${name}${typed} m:null="true"/>`
      : `<d:${name}${typed}>${escapeXml(values[name]!)}</d:${name}>`;
  });
  return `<entry${attributes}><id>${escapeXml(id)}</id><category term="NuGetGallery.V2FeedPackage" scheme="http://schemas.microsoft.com/ado/2007/08/dataservices/scheme"/><link rel="edit" href="${escapeXml(id)}"/><title type="text">${escapeXml(package_.name)}</title><summary type="text">${escapeXml(metadata.summary)}</summary><updated>${values.LastUpdated}</updated><author><name>${escapeXml(metadata.authors)}</name></author><content type="application/zip" src="${escapeXml(contentOf(base, package_.name, version.version))}"/><m:properties>${properties.join('')}</m:properties></entry>`;
}

export const entryDocument = (base: string, entry: FeedEntry): string =>
  head + entryXml(base, entry, ` ${namespaces} xml:base="${escapeXml(base)}/"`);

export function feedDocument(base: string, entries: readonly FeedEntry[], total: number, next?: string): string {
  const updated = new Date(Math.max(0, ...entries.map(({ version }) => version.createdAt))).toISOString();
  const more = next === undefined ? '' : `<link rel="next" href="${escapeXml(next)}"/>`;
  return `${head}<feed ${namespaces} xml:base="${escapeXml(base)}/"><m:count>${total}</m:count><id>http://schemas.datacontract.org/2004/07/</id><title/><updated>${updated}</updated><link rel="self" href="${escapeXml(base)}/Packages"/>${entries.map((entry) => entryXml(base, entry)).join('')}${more}</feed>`;
}
