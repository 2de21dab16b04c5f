import { inPieces, type PackageTakeover } from '@mortise/packages/api';
import type { SwiftMetadata } from '../services/metadata.js';
import { manifestProperty, repositoryProperty, type StoredRelease } from '../services/releases.js';

export const swiftTakeover: PackageTakeover = {
  version({ metadata, properties }) {
    const author = metadata.record('author').renamed({
      name: 'name',
      givenName: 'givenName',
      middleName: 'middleName',
      familyName: 'familyName',
    });
    const repositoryURLs = [...new Set(properties('swift.repository_url'))];
    const fields: SwiftMetadata = {
      ...metadata.renamed({
        description: 'description',
        keywords: 'keywords',
        license: 'license',
        repository_url: 'codeRepository',
      }),
      ...(Object.keys(author).length > 0 && { author }),
      ...(repositoryURLs.length > 0 && { repositoryURLs }),
    };
    const manifests = metadata.record('manifests');
    const toolsVersion = (swiftVersion: string) => manifests.record(swiftVersion).text('tools_version');
    const stored: StoredRelease = {
      metadata: fields,
      toolsVersion: toolsVersion(''),
      variants: Object.fromEntries(manifests.names.filter(Boolean).map((one) => [one, toolsVersion(one)])),
    };
    return {
      metadata: { ...stored },
      properties: {
        ...Object.fromEntries(
          manifests.names.map((one) => [manifestProperty(one), inPieces(manifests.record(one).text('content'))]),
        ),
        [repositoryProperty]: repositoryURLs,
      },
    };
  },
};
