import { Joi } from '@mortise/plugin-sdk';
import { isDigest, refuse } from './oci.js';

export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly platform?: { readonly os?: string; readonly architecture?: string; readonly variant?: string };
  /** Where else the content is. */
  readonly urls?: readonly string[];
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface Manifest {
  readonly schemaVersion: number;
  readonly mediaType?: string;
  readonly artifactType?: string;
  readonly config?: Descriptor;
  readonly layers?: readonly Descriptor[];
  readonly manifests?: readonly Descriptor[];
  readonly subject?: Descriptor;
  readonly annotations?: Readonly<Record<string, string>>;
}

const annotations = Joi.object().pattern(Joi.string(), Joi.string().allow('')).empty(null);

const descriptor = Joi.object<Descriptor>({
  mediaType: Joi.string().max(255).required(),
  digest: Joi.string()
    .custom((value: string) => {
      if (!isDigest(value)) throw new Error('is no digest');
      return value;
    })
    .required(),
  size: Joi.number().integer().min(0).required(),
  platform: Joi.object({
    os: Joi.string().allow(''),
    architecture: Joi.string().allow(''),
    variant: Joi.string().allow(''),
  })
    .unknown()
    .empty(null),
  urls: Joi.array().items(Joi.string().max(2048)).max(100).empty(null),
  annotations,
}).unknown();

/** Clients in Go write `null` for what is empty. */
const descriptors = Joi.array().items(descriptor).max(1000).empty(null);
const schema = Joi.object<Manifest>({
  schemaVersion: Joi.number().required(),
  mediaType: Joi.string().max(255),
  artifactType: Joi.string().max(255).allow(''),
  config: descriptor.empty(null),
  layers: descriptors,
  manifests: descriptors,
  subject: descriptor.empty(null),
  annotations,
}).unknown();

/** What clients push as manifests; an index may name blobs of any other type, such as the layers of a build cache. */
export const isManifestType = (mediaType: string): boolean =>
  /^application\/vnd\.(?:docker\.distribution\.manifest|oci\.image\.(?:manifest|index))\./.test(mediaType);

/** Layers of base images that may not be passed on are not pushed: their descriptors say where to get them. */
export const isForeign = ({ mediaType, urls = [] }: Descriptor): boolean =>
  urls.length > 0 && /\.(?:foreign\.diff|nondistributable)\./.test(mediaType);

/** `linux/arm64/v8`; empty for what runs nowhere: build tools call the platform of attestations unknown. */
export const platformText = ({ os, architecture, variant }: NonNullable<Descriptor['platform']>): string =>
  [os, architecture, variant].filter((part) => part && part !== 'unknown').join('/');

/** What BuildKit says of how an image was made, in an index beside the image. */
export const isAttestation = ({ annotations }: Descriptor): boolean =>
  annotations?.['vnd.docker.reference.type'] === 'attestation-manifest';

const invalid = (why: string) => refuse('bad_request', 'MANIFEST_INVALID', `the manifest is invalid: ${why}`);

/** Reads a manifest or index; `contentType` is what the client calls it. */
export function readManifest(content: Buffer, contentType: string): { manifest: Manifest; mediaType: string } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(content.toString('utf8'));
  } catch {
    throw invalid('it is no JSON');
  }
  const { value: manifest, error } = schema.validate(parsed, { convert: false });
  if (error) throw invalid(error.message);
  if (manifest.schemaVersion !== 2)
    throw refuse('bad_request', 'UNSUPPORTED', 'only schema version 2 is supported', 501);
  const named = contentType.split(';')[0]!.trim().toLowerCase();
  const mediaType = manifest.mediaType ?? named;
  if (!/^application\/vnd\.(?:docker|oci)\.[\w.+-]+$/.test(mediaType)) throw invalid('its media type is no image');
  if (named && manifest.mediaType && named !== manifest.mediaType) throw invalid('it is sent as another media type');
  // one client would run what another does not see (CVE-2021-41190)
  if (manifest.manifests && (manifest.config || manifest.layers))
    throw invalid('it has manifests beside a config or layers');
  if (!manifest.manifests && !manifest.config) throw invalid('it has neither a config nor manifests');
  return { manifest, mediaType };
}

export interface ImageConfig {
  readonly os: string;
  readonly architecture: string;
  readonly labels: Readonly<Record<string, string>> | undefined;
}

/** The config of an image; undefined where it is none. */
export function imageConfig(content: Buffer): ImageConfig | undefined {
  try {
    const { os, architecture, config } = JSON.parse(content.toString('utf8')) as Record<string, unknown>;
    const labels = (config as { Labels?: unknown } | undefined)?.Labels;
    return {
      os: typeof os === 'string' ? os : '',
      architecture: typeof architecture === 'string' ? architecture : '',
      labels:
        typeof labels === 'object' && labels !== null
          ? Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, String(value)]))
          : undefined,
    };
  } catch {
    return undefined;
  }
}
