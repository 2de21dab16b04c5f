import { Joi } from '@mortise/plugin-sdk';
import { isDigest, refuse } from './oci.js';

export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly platform?: { readonly os?: string; readonly architecture?: string; readonly variant?: string };
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
  }).unknown(),
}).unknown();

const most = 1000;
const schema = Joi.object<Manifest>({
  schemaVersion: Joi.number().required(),
  mediaType: Joi.string().max(255),
  artifactType: Joi.string().max(255).allow(''),
  config: descriptor,
  layers: Joi.array().items(descriptor).max(most),
  manifests: Joi.array().items(descriptor).max(most),
  subject: descriptor,
  annotations: Joi.object().pattern(Joi.string(), Joi.string().allow('')).allow(null).empty(null),
}).unknown();

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
  if (!manifest.manifests && !manifest.config) throw invalid('it has neither a config nor manifests');
  return { manifest, mediaType };
}
