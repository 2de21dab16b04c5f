import { isOid, type Ref, type ResolvedName } from '../api.js';
import type { ObjectType } from '../contract/names.js';
import type { GitCaches } from './caches.js';
import type { ObjectReader } from './object-reader.js';
import type { Reachable } from './reachable.js';
import type { References } from './references.js';

interface RevisionDeps {
  /** Of this repository's entries in the caches. */
  readonly key: string;
  readonly caches: GitCaches;
  readonly references: References;
  readonly objects: ObjectReader;
  readonly reachable: Reachable;
  readonly info: (oid: string) => Promise<{ type: ObjectType; size: number } | undefined>;
  /** Did a reference name it within the last weeks? */
  readonly isFormerTip: (oid: string) => Promise<boolean>;
  readonly isQuarantined: boolean;
}

/** What names and ids mean in one repository, and which ids may be read (docs/decisions/0016). */
export class Revisions {
  constructor(private readonly deps: RevisionDeps) {}

  async resolve(name: string): Promise<ResolvedName | undefined> {
    const table = await this.deps.references.table();
    if (!name || name === 'HEAD') {
      const head = table.byRef.get(`refs/heads/${table.head}`);
      return head && this.#resolved('branch', head);
    }
    const branch = table.byRef.get(`refs/heads/${name}`);
    if (branch) return this.#resolved('branch', branch);
    const tag = table.byRef.get(`refs/tags/${name}`);
    if (tag) return this.#resolved('tag', tag);
    const full = name.startsWith('refs/') ? table.byRef.get(name) : undefined;
    if (full)
      return this.#resolved(
        name.startsWith('refs/heads/') ? 'branch' : name.startsWith('refs/tags/') ? 'tag' : 'ref',
        full,
      );
    if (/^(heads|tags)\//.test(name)) {
      const short = table.byRef.get(`refs/${name}`);
      if (short) return this.#resolved(name.startsWith('heads/') ? 'branch' : 'tag', short);
    }
    const suffix = /^([^~^:]*)((?:[~^]\d*)+)$/.exec(name);
    if (suffix) {
      const base = await this.resolve(suffix[1] ?? '');
      const found = base && (await this.deps.objects.evaluate(`${base.commit}${suffix[2]}`));
      return found?.type === 'commit'
        ? { kind: 'commit', name: found.oid, oid: found.oid, commit: found.oid }
        : undefined;
    }
    const oid = await this.expand(name);
    const peeled = oid ? await this.deps.objects.peel(oid) : undefined;
    return oid && peeled?.type === 'commit' ? { kind: 'commit', name: oid, oid, commit: peeled.oid } : undefined;
  }

  async #resolved(kind: ResolvedName['kind'], ref: Ref): Promise<ResolvedName | undefined> {
    const peeled = await this.deps.objects.peel(ref.oid);
    return peeled?.type === 'commit'
      ? { kind, ref: ref.ref, name: ref.name, oid: ref.oid, commit: peeled.oid }
      : undefined;
  }

  async expand(prefix: string): Promise<string | undefined> {
    if (!/^[0-9a-f]{7,64}$/i.test(prefix)) return undefined;
    const short = prefix.toLowerCase();
    if (isOid(short)) return (await this.isReadable(short)) ? short : undefined;
    const table = await this.deps.references.table();
    if (!table.version && !table.head) return undefined;
    const oid = (await this.deps.objects.evaluate(`${short}^{commit}`))?.oid;
    if (oid?.startsWith(short) && (await this.deps.reachable.has(oid, table))) return oid;
    // several objects begin so, or the only one is led to by nothing
    const expand = () => this.deps.reachable.expand(short, table);
    return this.deps.isQuarantined
      ? expand()
      : this.deps.caches.result(`${this.deps.key}short\0${table.version}\0${short}`, expand);
  }

  async isReadable(oid: string): Promise<boolean> {
    const table = await this.deps.references.table();
    if (table.tips.has(oid)) return true;
    const info = await this.deps.info(oid);
    if (!info || info.type !== 'commit') return info !== undefined;
    if (await this.deps.reachable.has(oid, table)) return true;
    return this.deps.isFormerTip(oid);
  }
}
