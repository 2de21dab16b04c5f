import type { PackageTakeover, SourceVersionFiles } from '@mortise/packages/api';
import { imageConfig, isManifestType, readManifest } from '../services/manifest.js';
import { manifestName, maxConfig, maxManifest, mediaProperty, storedManifest } from '../services/stored-manifest.js';
import { createHash } from 'node:crypto';
import { fileNameOf } from '../services/oci.js';

async function stored({ read }: SourceVersionFiles) {
  const content = await read(manifestName, maxManifest);
  if (!content) return {};
  const digest = `sha256:${createHash('sha256').update(content).digest('hex')}`;
  const { manifest, mediaType } = readManifest(content, '');
  const { config, manifests = [] } = manifest;
  const about = config && /image/.test(config.mediaType) ? await read(fileNameOf(config.digest), maxConfig) : undefined;
  const children = manifests.filter((one) => isManifestType(one.mediaType));
  return {
    ...storedManifest(manifest, { digest, mediaType, size: content.length }, children, about && imageConfig(about)),
  };
}

export const containerTakeover: PackageTakeover = {
  version: async (version) => ({ metadata: await stored(version) }),
  file(file) {
    const mediaType = file.property('container.mediatype');
    return {
      compositeKey: file.property('container.digest') || `sha256:${file.sha256}`,
      ...(mediaType && { properties: { [mediaProperty]: mediaType } }),
    };
  },
};
