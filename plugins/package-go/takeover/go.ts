import { inPieces, type PackageTakeover } from '@mortise/packages/api';
import { goModProperty, maxKept } from '../services/modules.js';

export const goTakeover: PackageTakeover = {
  version({ property }) {
    const goMod = property('go.mod');
    return goMod.length <= maxKept ? { metadata: { goMod } } : { properties: { [goModProperty]: inPieces(goMod) } };
  },
};
