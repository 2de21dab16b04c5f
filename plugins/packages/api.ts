/**
 * The contract of `packages`: the shared store of packages, versions and files, and the extension point
 * {@link packageFormats} with which a registry protocol is added as one folder.
 */
export { packageCreated, packageDeleted, cleanUpPackages } from './contract/packages.js';
export {
  type PackageAccessMode,
  type PackageAccess,
  packageAccess,
  type PackageAccessSource,
  packageAccessSources,
  packageOwnerModel,
} from './contract/access.js';
export { arMembers, gunzip, isPlainPath, type ArchiveEntry, type RandomAccess } from './contract/archives.js';
export {
  type PackageForm,
  type PackageRequest,
  type PackageRoute,
  definePackageRoute,
  type PackageView,
  type PackageFormat,
  packageFormats,
} from './contract/formats.js';
export {
  buildWithIncluded,
  type IndexFile,
  type IndexBuild,
  type PackageIndexes,
  packageIndexes,
} from './contract/indexes.js';
export { type SigningKeys, signingKeys, type PackageTokens, packageTokens } from './contract/keys.js';
export { packBzip2 } from './contract/pack.js';
export { type PackageEntries, chunkListFile, buildChunkedIndex } from './contract/pieces.js';
export * from './contract/semver.js';
export {
  type Package,
  type PackageVersion,
  type PackageFile,
  type ReceivedBlob,
  type PlacedFile,
  inPieces,
  type NewFile,
  type PackageStore,
  packageStore,
} from './contract/store.js';
export {
  SourceFields,
  type SourceVersion,
  type SourceVersionFiles,
  type PackageTakeover,
} from './contract/takeover.js';
export { tarEntries, tarOf, tarFrame } from './contract/tar.js';
export {
  type TokenProxySettings,
  proxySettings,
  proxyBase,
  longDocumentBytes,
  withDownloadFence,
  isWebPage,
  type ProxyResponse,
  type ProxyContent,
  type ProxyDocument,
  type ProxyChecksum,
  type ProxySource,
  proxySources,
} from './contract/proxy-sources.js';
export * from './contract/values.js';
export { packingOf, unpack, unpackAny, type Packing } from './contract/unpack.js';
export * from './contract/xml.js';
export { readYaml } from './contract/yaml.js';
export { sizeLimit } from './settings.js';
export { zipEntries } from './contract/zip.js';
export { Homepage, Dependencies } from './pages/package-fields.js';
