import { BadRequest } from '@mortise/plugin-sdk';
import type { ReceivedBlob } from '@mortise/packages/api';
import type { Attachment } from './document-reader.js';
import { isRecord, type Json } from './json.js';
import { readProvenance, type Provenance } from './provenance.js';
import { repositoryText, repositoryUrl } from './repository-address.js';
import { isVersion, readsAsVersion } from './versions.js';

/** One version as a client publishes it, checked. */
interface Publication {
  readonly name: string;
  readonly version: string;
  readonly tags: readonly string[];
  /** The manifest as it came, without bulk and without what the registry says itself. */
  readonly manifest: Json;
  readonly fileName: string;
  readonly blob: ReceivedBlob;
  readonly provenance?: Provenance;
}

const namePattern = /^(?:@[a-z0-9-][a-z0-9-._]*\/)?[a-z0-9-][a-z0-9-._]*$/;

export const isName = (name: unknown): name is string =>
  typeof name === 'string' && name.length >= 1 && name.length <= 214 && namePattern.test(name);

const plainName = (name: string) => name.slice(name.indexOf('/') + 1);
const fileNameOf = (name: string, version: string) => `${plainName(name)}-${version}.tgz`.toLowerCase();

/** The version in the name of a tarball; empty when it is none of the package. */
export function versionIn(name: string, fileName: string): string {
  const start = `${plainName(name)}-`.toLowerCase();
  const isOurs = fileName.toLowerCase().startsWith(start) && fileName.endsWith('.tgz');
  return isOurs ? fileName.slice(start.length, -'.tgz'.length) : '';
}

export function checkTag(tag: string): void {
  if (tag.trim() !== tag || tag === '' || tag.length > 128 || readsAsVersion(tag) || encodeURIComponent(tag) !== tag)
    throw BadRequest('The dist-tag is invalid.');
}

/** So many tags are set by one request. */
const maxAtOnce = 100;

export function checkNumber(tags: number): void {
  if (tags > maxAtOnce) throw BadRequest(`More than ${maxAtOnce} dist-tags cannot be set at once.`);
}

/** Checks a publish request (reference: 8.2); its tarball is stored already, but belongs to nothing before this is through. */
export function readPublication(
  body: Json,
  attachment: Attachment<ReceivedBlob> | undefined,
  expectedName: string,
): Publication {
  const versions = isRecord(body.versions) ? Object.values(body.versions) : [];
  const manifest = versions[0];
  if (versions.length !== 1 || !isRecord(manifest))
    throw BadRequest('Exactly one version must be published at a time.');
  const { name, version } = manifest;
  if (!isName(name)) throw BadRequest('package name is invalid');
  if (name !== expectedName) throw BadRequest('The package name does not match the URL.');
  if (typeof version !== 'string' || !isVersion(version)) throw BadRequest('package version is invalid');
  const tags = Object.keys(isRecord(body['dist-tags']) ? body['dist-tags'] : {});
  checkNumber(tags.length);
  for (const tag of tags) checkTag(tag);
  if (!attachment) throw BadRequest('package attachment is invalid');
  checkLength(body._attachments, attachment);
  checkIntegrity(isRecord(manifest.dist) ? manifest.dist : {}, attachment);
  const provenance = readProvenance(body._attachments);
  return {
    name,
    version,
    tags,
    manifest: storedManifest(manifest, body, provenance),
    fileName: fileNameOf(name, version),
    blob: attachment.blob,
    ...(provenance && { provenance }),
  };
}

function checkLength(attachments: unknown, { name, blob }: Attachment<ReceivedBlob>): void {
  const declared = isRecord(attachments) ? attachments[name] : undefined;
  const length = isRecord(declared) ? declared.length : undefined;
  if (blob.size === 0 || (typeof length === 'number' && length !== blob.size))
    throw BadRequest('package attachment is invalid');
}

function checkIntegrity(dist: Json, { blob, sha384 }: Attachment<ReceivedBlob>): void {
  const hex = (digest: string) => Buffer.from(digest, 'hex').toString('base64');
  const digests: Readonly<Record<string, string>> = {
    sha1: hex(blob.sha1),
    sha256: hex(blob.sha256),
    sha384,
    sha512: hex(blob.sha512),
  };
  const integrity = typeof dist.integrity === 'string' ? dist.integrity.trim().split(/\s+/) : [];
  if (integrity.length === 0 || integrity[0] === '') throw BadRequest('dist.integrity is missing.');
  for (const one of integrity) {
    const [, algorithm, hash] = /^(sha1|sha256|sha384|sha512)-([A-Za-z0-9+/=]+)(?:\?.*)?$/.exec(one) ?? [];
    if (!algorithm) throw BadRequest('dist.integrity uses an unknown algorithm.');
    if (digests[algorithm] !== hash) throw BadRequest('dist.integrity does not match the attachment.');
  }
}

/** As the public registry cuts it. */
const maxReadme = 64 * 1024;

/** The manifest whole, since installers use more of it than a list of fields would keep; only foreign bulk goes. */
function storedManifest(manifest: Json, body: Json, provenance: Provenance | undefined): Json {
  const { dist, _id, _attachments, ...rest } = manifest;
  const hasScript =
    isRecord(rest.scripts) && ['preinstall', 'install', 'postinstall'].some((name) => (rest.scripts as Json)[name]);
  const more: Json = {};
  if (isRecord(dist)) {
    for (const name of ['fileCount', 'unpackedSize']) if (typeof dist[name] === 'number') more[name] = dist[name];
    // of a copy from another registry: its signatures go with it
    if (Array.isArray(dist.signatures)) more.signatures = dist.signatures;
    if (isRecord(dist.attestations)) more.attestations = dist.attestations;
  }
  if (provenance) more.attestations = { provenance: { predicateType: provenance.predicateType } };
  if (typeof rest.bin === 'string') rest.bin = { [plainName(String(rest.name))]: rest.bin };
  if (typeof rest.homepage === 'string' && !/^https?:\/\//i.test(rest.homepage)) delete rest.homepage;
  if (typeof rest.readme !== 'string' && typeof body.readme === 'string') rest.readme = body.readme;
  if (typeof rest.readme === 'string') rest.readme = rest.readme.slice(0, maxReadme);
  return { ...rest, ...(hasScript ? { hasInstallScript: true } : {}), dist: more };
}

/** Path `owner/name` of the repository on this site that the manifest names, if it does. */
export function repositoryPath(manifest: Json, host: string): { owner: string; name: string } | undefined {
  const url = repositoryUrl(repositoryText(manifest));
  if (!url) return undefined;
  const sameHost = url.protocol.startsWith('http') ? url.host === host : url.hostname === host.replace(/:\d+$/, '');
  const [, owner, name] = /\/([^/]+)\/([^/]+?)(?:\.git)?\/?$/.exec(url.pathname) ?? [];
  if (!sameHost || !owner || !name) return undefined;
  try {
    return { owner: decodeURIComponent(owner), name: decodeURIComponent(name) };
  } catch {
    // escaped bytes that are no text name nothing
    return undefined;
  }
}
