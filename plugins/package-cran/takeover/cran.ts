import { brief, inPieces, type PackageTakeover, type SourceVersion } from '@mortise/packages/api';
import type { CranInfo } from '../services/description.js';
import { compositeKeyOf, property } from '../services/repositories.js';

function infoOf({ name, version, metadata }: SourceVersion): CranInfo {
  const listed = (field: string) => metadata.texts(field).join(', ');
  return {
    name,
    version,
    title: metadata.text('title'),
    description: metadata.text('description'),
    license: metadata.text('license'),
    author: listed('authors'),
    urls: metadata.texts('project_url'),
    depends: listed('depends'),
    imports: listed('imports'),
    linkingTo: listed('linking_to'),
    suggests: listed('suggests'),
    needsCompilation: metadata.flag('needs_compilation'),
  };
}

export const cranTakeover: PackageTakeover = {
  version: (version) => ({ metadata: brief({ ...infoOf(version) }) }),
  file(file) {
    const [platform, rVersion] = [file.property('cran.platform'), file.property('cran.rvserion')];
    return {
      compositeKey: compositeKeyOf(file.property('cran.type') === 'binary' ? { platform, rVersion } : undefined),
      properties: { [property]: inPieces(JSON.stringify(infoOf(file.package))) },
    };
  },
};
