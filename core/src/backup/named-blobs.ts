import type { NamedBlob } from '@mortise/plugin-sdk';
import { ExternalSorter, sortKeyOf } from './external-sorter.js';
import type { BackupFolder } from './folder.js';
import type { BlobLine } from './format.js';
import { readList } from './lists.js';

/** Faults of a back-up that are written into it. */
const maxFaults = 1000;

/** The blobs that database rows refer to, compared with those in the back-up; in bounded memory. */
export class NamedBlobs {
  readonly #byArea = new Map<string, ExternalSorter<NamedBlob>>();

  constructor(private readonly folder: BackupFolder) {}

  async add(blobs: AsyncIterable<NamedBlob>): Promise<void> {
    for await (const blob of blobs) {
      let sorter = this.#byArea.get(blob.area);
      if (!sorter) this.#byArea.set(blob.area, (sorter = new ExternalSorter(this.folder.path)));
      await sorter.add(blob);
    }
  }

  /** What the lists of the areas lack, in words. Areas that are left out lack nothing. */
  async missingIn(
    areas: Readonly<Record<string, readonly string[]>>,
    isLeftOut: (area: string) => boolean,
  ): Promise<string[]> {
    const faults: string[] = [];
    for (const [area, sorter] of this.#byArea) {
      if (isLeftOut(area)) continue;
      const lines = readList<BlobLine>(this.folder.store, areas[area] ?? [])[Symbol.asyncIterator]();
      let line = await lines.next();
      for await (const { order, info } of sorter.sorted()) {
        while (!line.done && sortKeyOf(line.value.key) < order) line = await lines.next();
        const found = !line.done && line.value.key === info.key ? line.value : undefined;
        const fault = faultOf(info, found);
        if (fault && faults.length < maxFaults) faults.push(fault);
      }
    }
    return faults;
  }
}

function faultOf({ area, key, size }: NamedBlob, found: BlobLine | undefined): string | undefined {
  if (!found) return `${area}/${key}, which a row names, is missing`;
  if (size === undefined || found.size === size) return undefined;
  return `${area}/${key} has ${found.size} bytes; its row says ${size}`;
}
