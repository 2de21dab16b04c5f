import type { MediaSource } from '@mortise/files/api';
import { parsePointer } from '../contract/lfs.js';
import type { ObjectService } from './object-service.js';

/** What pointer files stand for, where files are shown and downloaded. */
export const lfsMedia = (objects: ObjectService): MediaSource => ({
  key: 'lfs',
  async open(repositoryId, pointerBytes, range) {
    const pointer = parsePointer(pointerBytes);
    if (!pointer) return undefined;
    const size = (await objects.find(repositoryId, [pointer.oid])).get(pointer.oid);
    if (size !== pointer.size) return undefined;
    // An empty object has no parts.
    return objects.open(repositoryId, pointer.oid, size === 0 ? undefined : range);
  },
});
