import { createHash } from 'node:crypto';
import { Problem, reply, type Reply } from '@mortise/plugin-sdk';
import {
  withDownloadFence,
  type PackageRequest,
  type ProxySource,
  type ProxyResponse,
  type ProxyContent,
} from '@mortise/packages/api';
import { readManifest } from './manifest.js';
import { algorithmOf, isDigest, isTag, refuse } from './oci.js';
import { maxManifest } from './stored-manifest.js';

const maxTags = 4 * 1024 * 1024;

/** All kinds that there are: the client takes what the tag names. */
const accept = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ');

/** Images of another registry, where there is none of the name here (PKG-20). */
export class Mirror {
  private readonly isHub: boolean;

  constructor(private readonly source: ProxySource) {
    this.isHub = /(?:^|\.)docker\.io$/.test(new URL(source.address).hostname);
  }

  async manifest({ actor }: PackageRequest, image: string, reference: string): Promise<Reply> {
    const unknown = () => refuse('not_found', 'MANIFEST_UNKNOWN', 'the manifest is not known');
    if (!isDigest(reference) && !isTag(reference)) throw unknown();
    this.source.admit(actor, image);
    const { path, scope } = this.placeOf(image);
    const document = await this.source.document({
      actor,
      path: `${path}/manifests/${reference}`,
      accept,
      maxBytes: maxManifest,
      scope,
      isFinal: isDigest(reference),
      read: (answer) => read(answer, reference),
    });
    if (!document) throw unknown();
    const digest = document.properties as string;
    return withDownloadFence(reply.bytes(document.body, document.type).tag(digest)).header(
      'docker-content-digest',
      digest,
    );
  }

  async blob(request: PackageRequest, image: string, digest: string): Promise<Reply> {
    const unknown = () => refuse('not_found', 'BLOB_UNKNOWN', 'the blob is not known');
    if (!isDigest(digest)) throw unknown();
    this.source.admit(request.actor, image);
    // who asks so is about to upload it, and would leave out what is not here
    if (request.method === 'HEAD') throw unknown();
    const { path, scope } = this.placeOf(image);
    const answer = await this.source.file(request, {
      path: `${path}/blobs/${digest}`,
      checksums: [{ algorithm: algorithmOf(digest), hex: digest.slice(digest.indexOf(':') + 1) }],
      name: null,
      scope,
    });
    return answer.header('docker-content-digest', digest);
  }

  /** The first that the registry names. */
  async tags({ actor }: PackageRequest, image: string): Promise<string[]> {
    this.source.admit(actor, image);
    const { path, scope } = this.placeOf(image);
    const document = await this.source.document({
      actor,
      path: `${path}/tags/list`,
      maxBytes: maxTags,
      scope,
      read: readTags,
    });
    if (!document) throw refuse('not_found', 'NAME_UNKNOWN', 'the image is not known');
    return document.properties as string[];
  }

  /** Official images of the Docker Hub stand below `library`. */
  private placeOf(image: string): { readonly path: string; readonly scope: string } {
    const name = this.isHub && !image.includes('/') ? `library/${image}` : image;
    return { path: `/v2/${name}`, scope: `repository:${name}:pull` };
  }
}

function read({ body, headers }: ProxyResponse, reference: string): ProxyContent {
  const algorithm = isDigest(reference) ? algorithmOf(reference) : 'sha256';
  const digest = `${algorithm}:${createHash(algorithm).update(body).digest('hex')}`;
  if (isDigest(reference) && digest !== reference)
    throw new Problem('bad_gateway', `The upstream registry gave a manifest with another digest than ${reference}.`);
  const { mediaType } = readManifest(body, headers['content-type'] ?? '');
  return { body, type: mediaType, properties: digest };
}

function readTags({ body }: ProxyResponse): ProxyContent {
  const { tags } = JSON.parse(body.toString('utf8')) as { readonly tags?: unknown };
  const names = Array.isArray(tags) ? tags.filter((tag): tag is string => typeof tag === 'string' && isTag(tag)) : [];
  return { body: '', properties: names.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)) };
}
