import { isAttestation, platformText, type Descriptor, type ImageConfig, type Manifest } from './manifest.js';

export const mediaProperty = 'container.mediatype';
export const manifestName = 'manifest.json';
export const maxManifest = 10 * 1024 * 1024;
export const maxConfig = 4 * 1024 * 1024;

/** Stored metadata of a tag or manifest. */
export interface StoredManifest {
  readonly digest: string;
  readonly mediaType: string;
  readonly size: number;
  readonly artifactType?: string;
  readonly subject?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  /** How many of the manifests attest how others were made. */
  readonly attestations?: number;
  readonly platforms: readonly string[];
  readonly layers: readonly { readonly digest: string; readonly size: number }[];
  readonly manifests: readonly string[];
}

/** What is stored of a manifest or index; `children` are the manifests of an index, `about` what its config says. */
export function storedManifest(
  manifest: Manifest,
  facts: Pick<StoredManifest, 'digest' | 'mediaType' | 'size'>,
  children: readonly Descriptor[],
  about: ImageConfig | undefined,
): StoredManifest {
  const { config, layers = [], manifests = [], subject, annotations } = manifest;
  const attestations = manifests.filter(isAttestation).length;
  const artifactType =
    manifest.artifactType ||
    (config && !/image\.config|container\.image/.test(config.mediaType) ? config.mediaType : '');
  const platforms = [...(about?.os ? [about] : []), ...manifests.map(({ platform }) => platform ?? {})].map(
    platformText,
  );
  return {
    ...facts,
    ...(artifactType && { artifactType }),
    ...(subject && { subject: subject.digest }),
    ...(annotations && { annotations }),
    ...(about?.labels && { labels: about.labels }),
    ...(attestations > 0 && { attestations }),
    platforms: [...new Set(platforms.filter(Boolean))],
    layers: [...layers, ...manifests.filter((one) => !children.includes(one))].map(({ digest, size }) => ({
      digest,
      size,
    })),
    manifests: children.map(({ digest }) => digest),
  };
}
