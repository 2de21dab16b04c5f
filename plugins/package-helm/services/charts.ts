import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { NotFound, type Actor, type QueryCache } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import { compareSemver, type PackageFile, type PackageStore } from '@mortise/packages/api';
import { readChart, yamlOf, type ChartInfo } from './chart.js';

export const type = 'helm';
/** All charts of an owner have it: the index is over all. */
export const compositeKey = 'chart';

export interface ChartIndex {
  readonly text: string;
  readonly tag: string;
}

export class Charts {
  constructor(
    private readonly store: PackageStore,
    private readonly indexes: QueryCache<ChartIndex>,
  ) {}

  async publish(owner: Account, actor: Actor, body: Readable, size?: number): Promise<void> {
    const blob = await this.store.receive(type, body, actor, size);
    const { info, readme } = await readChart(this.store, blob);
    const { name, version } = info;
    await this.store.publish({
      owner,
      actor,
      type,
      name,
      version,
      metadata: { chart: info, ...(readme !== undefined && { readme }) },
      files: [{ name: `${name}-${version}.tgz`, blob, compositeKey }],
    });
  }

  async file(owner: Account, name: string): Promise<PackageFile> {
    const compositeKeys = [compositeKey];
    const [found] = await this.store.filesUnder({ ownerId: owner.id, type, compositeKeys, name });
    if (!found) throw NotFound('chart');
    return found.file;
  }

  async delete(owner: Account, actor: Actor, name: string, version: string): Promise<void> {
    const package_ = await this.store.find(owner.id, type, name);
    const packageVersion = package_ && (await this.store.findVersion(package_.id, version));
    if (!packageVersion) throw NotFound('chart');
    await this.store.deleteVersion(package_, packageVersion, actor);
  }

  /** All charts, the highest version first; remembered while nothing was committed. */
  index(owner: Account, baseUrl: string): Promise<ChartIndex> {
    return this.indexes.load(`${owner.id}/${baseUrl}`, async () => {
      const compositeKeys = [compositeKey];
      const charts = await this.store.filesUnder({ ownerId: owner.id, type, compositeKeys });
      const entries = new Map<string, (ChartInfo & Record<string, unknown>)[]>();
      let generated = 0;
      for (const { package: package_, version, file } of charts) {
        generated = Math.max(generated, version.createdAt);
        const list = entries.get(package_.name) ?? [];
        entries.set(package_.name, list);
        list.push({
          ...(version.metadata.chart as ChartInfo),
          created: new Date(version.createdAt).toISOString(),
          digest: file.sha256,
          // names of charts and versions have nothing that must be encoded, and clients save files under this one
          urls: [`${baseUrl}/${file.name}`],
        });
      }
      for (const list of entries.values()) list.sort((a, b) => compareSemver(b.version, a.version));
      const text = yamlOf({
        apiVersion: 'v1',
        generated: new Date(generated).toISOString(),
        entries: Object.fromEntries(entries),
      }).slice(1);
      return { text, tag: createHash('sha256').update(text).digest('hex').slice(0, 40) };
    });
  }
}
