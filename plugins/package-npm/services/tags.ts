import { BadRequest, NotFound, type Database } from '@mortise/plugin-sdk';
import type { Package, PackageStore, PackageVersion } from '@mortise/packages/api';
import type { Documents } from './documents.js';
import { isRecord } from './json.js';
import { leading } from './packument.js';
import { tagProperty } from './properties.js';
import { checkNumber, checkTag } from './publication.js';

interface TagDeps {
  readonly database: Database;
  readonly store: PackageStore;
  readonly documents: Documents;
}

/** Of one package: all of a version's are written again when one comes. */
const maxTags = 500;

type Named = Pick<PackageVersion, 'id' | 'version'>;

/** Dist-tags: each names one version of a package. */
export class Tags {
  constructor(private readonly deps: TagDeps) {}

  of(package_: Package): Promise<Record<string, string>> {
    return this.deps.documents.tags(package_);
  }

  /** Of each package the version that `latest` names. */
  latest(packages: readonly Package[]): Promise<Map<number, PackageVersion>> {
    return this.deps.store.versionsWith(
      packages.map(({ id }) => id),
      tagProperty,
      'latest',
    );
  }

  async set(package_: Package, tag: string, versionText: unknown): Promise<void> {
    checkTag(tag);
    if (typeof versionText !== 'string' || versionText.trim() === '') throw BadRequest('The dist-tag needs a version.');
    await this.change(package_, async () => {
      const version = await this.deps.store.findVersion(package_.id, versionText.trim());
      if (!version) throw NotFound('package version');
      await this.move(package_, version, tag);
    });
  }

  async remove(package_: Package, tag: string): Promise<void> {
    checkTag(tag);
    await this.change(package_, () => this.move(package_, undefined, tag));
  }

  /** `npm unpublish` sends the document back: its tags count, as far as their versions exist; `latest` stays in any case. */
  async replace(package_: Package, tags: unknown): Promise<void> {
    if (!isRecord(tags)) return;
    await this.change(package_, async () => {
      const versions = new Map((await this.versions(package_)).map((one) => [one.version, one]));
      const present = await this.of(package_);
      const changed = Object.entries(tags).filter(([tag, version]) => present[tag] !== version);
      checkNumber(changed.length);
      for (const tag of Object.keys(present))
        if (tag !== 'latest' && !Object.hasOwn(tags, tag)) await this.move(package_, undefined, tag);
      for (const [tag, versionText] of changed) {
        const version = versions.get(String(versionText));
        if (!version) continue;
        checkTag(tag);
        await this.move(package_, version, tag);
      }
    });
  }

  /** In the transaction of a deletion: what is left of a package always has a `latest`. */
  async afterDeletion(package_: Package, remaining: readonly PackageVersion[]): Promise<void> {
    const lead = leading(remaining);
    if (lead && !Object.hasOwn(await this.of(package_), 'latest')) await this.move(package_, lead, 'latest');
    await this.deps.documents.changed(package_);
  }

  /** In the caller's transaction. */
  async move(package_: Package, to: Named | undefined, tag: string): Promise<void> {
    const { store } = this.deps;
    const ids = (await this.versions(package_)).map(({ id }) => id);
    const present = await store.properties('version', ids, tagProperty);
    const all = [...present.values()].flat();
    if (to && all.length >= maxTags && all.every(({ value }) => value !== tag))
      throw BadRequest(`A package has at most ${maxTags} dist-tags.`);
    for (const id of ids) {
      const values = (present.get(id) ?? []).map(({ value }) => value);
      const wanted = [...values.filter((value) => value !== tag), ...(to?.id === id ? [tag] : [])];
      if (wanted.length !== values.length || (to?.id === id && !values.includes(tag)))
        await store.setProperty('version', id, tagProperty, wanted);
    }
  }

  private async versions(package_: Package): Promise<readonly Named[]> {
    return (await this.deps.store.versionNames([package_.id])).get(package_.id) ?? [];
  }

  private async change(package_: Package, work: () => Promise<void>): Promise<void> {
    await this.deps.database.write(async () => {
      // A tag that two move at once names one version.
      if (!(await this.deps.store.lock(package_))) throw NotFound('package');
      await work();
      await this.deps.documents.changed(package_);
    });
  }
}
