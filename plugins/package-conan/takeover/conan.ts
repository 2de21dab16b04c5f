import { inPieces, type PackageTakeover } from '@mortise/packages/api';
import { readInfo } from '../services/descriptions.js';
import { infoProperty } from '../services/recipes.js';
import { compositeKeyOf } from '../services/references.js';

const maxInfo = 1024 * 1024;

export const conanTakeover: PackageTakeover = {
  version: ({ metadata }) => ({
    metadata: metadata.renamed({
      description: 'description',
      license: 'license',
      author: 'author',
      repository_url: 'url',
      project_url: 'homepage',
      keywords: 'topics',
    }),
  }),
  /** Its keys are `user|channel|revision`, and `|package|revision` behind them for binaries. */
  async file(file) {
    const { name, version } = file.package;
    const [user = '', channel = '', recipeRevision = '', packageId, packageRevision] = file.compositeKey.split('|');
    const binary = packageId === undefined ? {} : { packageId, packageRevision };
    const compositeKey = compositeKeyOf({ name, version, user, channel, recipeRevision, ...binary });
    const text = file.name === 'conaninfo.txt' ? await file.read(maxInfo) : undefined;
    if (!text) return { compositeKey };
    return {
      compositeKey,
      properties: { [infoProperty]: inPieces(JSON.stringify(readInfo(text.toString('utf8')))) },
    };
  },
};
