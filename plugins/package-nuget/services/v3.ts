import type { Entry, Found } from './feed.js';
import { isPrerelease } from './versions.js';

/** Documents of the feed of version 3. */

const kinds: readonly (readonly [string, string])[] = [
  ['SearchQueryService', '/query'],
  ['SearchQueryService/3.0.0-beta', '/query'],
  ['SearchQueryService/3.0.0-rc', '/query'],
  ['RegistrationsBaseUrl', '/registration'],
  ['RegistrationsBaseUrl/3.0.0-beta', '/registration'],
  ['RegistrationsBaseUrl/3.0.0-rc', '/registration'],
  ['PackageBaseAddress/3.0.0', '/package'],
  ['PackagePublish/2.0.0', ''],
  ['SymbolPackagePublish/4.9.0', '/symbolpackage'],
];

export const serviceIndex = (base: string): object => ({
  version: '3.0.0',
  resources: kinds.map(([kind, path]) => ({ '@id': base + path, '@type': kind })),
});

const part = encodeURIComponent;
const registrationOf = (base: string, id: string) => `${base}/registration/${part(id)}/index.json`;
const leafOf = (base: string, id: string, version: string) => `${base}/registration/${part(id)}/${part(version)}.json`;
export const contentOf = (base: string, id: string, version: string): string =>
  `${base}/package/${part(id)}/${part(version)}/${part(`${id}.${version}`)}.nupkg`;

function catalogEntry(base: string, { package: { name: id }, version, metadata }: Entry): object {
  return {
    '@id': leafOf(base, id, version.version),
    id,
    version: version.version,
    title: metadata.title,
    authors: metadata.authors,
    copyright: metadata.copyright,
    description: metadata.description,
    summary: metadata.summary,
    iconUrl: metadata.iconUrl,
    language: metadata.language,
    licenseUrl: metadata.licenseUrl,
    licenseExpression: metadata.license,
    listed: true,
    minClientVersion: metadata.minClientVersion,
    packageContent: contentOf(base, id, version.version),
    projectUrl: metadata.projectUrl,
    published: new Date(version.createdAt).toISOString(),
    requireLicenseAcceptance: metadata.requireLicenseAcceptance,
    tags: metadata.tags,
    releaseNotes: metadata.releaseNotes,
    isPrerelease: isPrerelease(version.version),
    dependencyGroups: metadata.groups.map(({ framework, dependencies }) => ({
      targetFramework: framework,
      dependencies,
    })),
  };
}

/** All versions on one page: clients read it in one request. */
export function registrationIndex(base: string, entries: readonly Entry[]): object {
  const id = entries[0]!.package.name;
  const index = registrationOf(base, id);
  return {
    '@id': index,
    '@type': ['catalog:CatalogRoot', 'PackageRegistration', 'catalog:Permalink'],
    count: 1,
    items: [
      {
        '@id': index,
        count: entries.length,
        lower: entries[0]!.version.version,
        upper: entries.at(-1)!.version.version,
        items: entries.map((entry) => ({
          '@id': leafOf(base, id, entry.version.version),
          packageContent: contentOf(base, id, entry.version.version),
          catalogEntry: catalogEntry(base, entry),
        })),
      },
    ],
  };
}

export function registrationLeaf(base: string, { package: { name: id }, version }: Entry): object {
  return {
    '@id': leafOf(base, id, version.version),
    '@type': ['Package', 'http://schema.nuget.org/catalog#Permalink'],
    listed: true,
    packageContent: contentOf(base, id, version.version),
    published: new Date(version.createdAt).toISOString(),
    registration: registrationOf(base, id),
  };
}

export const searchResults = (base: string, total: number, found: readonly Found[]): object => ({
  totalHits: total,
  data: found.map(
    ({
      entry: {
        package: { name: id },
        version,
        metadata,
      },
      versions,
    }) => ({
      '@id': registrationOf(base, id),
      '@type': 'Package',
      id,
      version: version.version,
      title: metadata.title || id,
      description: metadata.description,
      summary: metadata.summary,
      authors: metadata.authors,
      iconUrl: metadata.iconUrl,
      licenseUrl: metadata.licenseUrl,
      projectUrl: metadata.projectUrl,
      tags: metadata.tags.split(/[\s,]+/).filter(Boolean),
      totalDownloads: version.downloadCount,
      verified: false,
      packageTypes: (metadata.packageTypes.length > 0 ? metadata.packageTypes : ['Dependency']).map((name) => ({
        name,
      })),
      registration: registrationOf(base, id),
      versions: versions.map((one) => ({
        version: one.version,
        downloads: one.version === version.version ? version.downloadCount : 0,
        '@id': leafOf(base, id, one.version),
      })),
    }),
  ),
});
