import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { NotFound, type Database, type QueryCache, type MemoryCache, type Site } from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import type { Package, PackageStore, PackageVersion } from '@mortise/packages/api';
import { DocumentRow } from '../models/document.js';
import { abbreviated, digest, packument, type PackumentInput, type Person } from './packument.js';
import { starProperty, tagProperty } from './properties.js';

interface DocumentDeps {
  readonly database: Database;
  readonly store: PackageStore;
  readonly accounts: Accounts;
  readonly site: Site;
  /** Documents that were made for readers. */
  readonly made: QueryCache<MadeDocument>;
  /** Columns of cached documents without their content. */
  readonly kept: QueryCache<CachedTags>;
  /** Kept documents, by their tags. */
  readonly packed: MemoryCache<Buffer>;
}

/** `short` is `application/vnd.npm.install-v1+json`: what installers need. */
type Form = 'whole' | 'short';

export interface MadeDocument {
  readonly text: string;
  readonly tag: string;
}

/** As it was packed when the package changed. */
interface PackedDocument {
  readonly packed: Buffer;
  readonly tag: string;
}

export type CachedTags = Readonly<Partial<Record<Form, string>>>;

const pack = promisify(gzip);
const tagOf = (text: string) => digest(text).slice(0, 40);
/** Longer ones are made for readers: statements of a database are bounded. */
const maxPacked = 6 * 1024 * 1024;
const headColumns = ['package_id', 'revision', 'built', 'surroundings', 'creators', 'whole_tag', 'short_tag'];

/**
 * The documents of packages (PKG-13). A change notes in its transaction that they are old, and makes them before the client
 * is answered; readers get them as they lie in the database, however many versions they tell of. Where they are old or
 * missing, as after a kill, readers get what is made from the rows.
 */
export class Documents {
  readonly #building = new Map<number, Promise<void>>();

  constructor(private readonly deps: DocumentDeps) {}

  /** The document as it was packed; undefined when it is not good any more. */
  async packed(owner: Account, package_: Package, form: Form): Promise<PackedDocument | undefined> {
    const { kept, packed, database } = this.deps;
    const tags = await kept.load(`${package_.id}:${owner.name}`, () => this.cachedTags(owner, package_.id));
    const tag = tags[form];
    if (!tag) return undefined;
    const key = `${package_.id}:${form}:${tag}`;
    const held = packed.get(key);
    if (held) return { packed: held, tag };
    const row = await database
      .query(DocumentRow)
      .select(form)
      .findOne({ package_id: package_.id, [`${form}_tag`]: tag });
    const bytes = row?.[form];
    if (!bytes) return undefined;
    packed.set(key, bytes, { size: bytes.length });
    return { packed: bytes, tag };
  }

  /** Made from the rows, and remembered while nothing of them changes. */
  made(owner: Account, package_: Package, form: Form): Promise<MadeDocument> {
    return this.deps.made.load(`${package_.id}:${form}:${owner.name}`, async () => {
      const input = await this.packumentInput(owner, package_);
      if (input.versions.length === 0) throw NotFound('package');
      const text = await textOf(input, form);
      return { text, tag: tagOf(text) };
    });
  }

  async tags(package_: Package): Promise<Record<string, string>> {
    return this.tagsOf((await this.deps.store.versionNames([package_.id])).get(package_.id) ?? []);
  }

  async stars(package_: Package): Promise<string[]> {
    const stars = await this.deps.store.properties('package', [package_.id], starProperty);
    return (stars.get(package_.id) ?? []).map(({ value }) => value);
  }

  /** What the document tells as `_rev`; in a transaction that has the package's lock, it holds until its end. */
  async revision({ id }: Package): Promise<string> {
    const head = await this.head(id);
    const versions = (await this.deps.store.versionNames([id])).get(id) ?? [];
    return revisionOf(id, head, versions.length);
  }

  // ---------------------------------------------------------------- keeping

  /** In the transaction of a change of a package or one of its versions. */
  async changed({ id }: Package): Promise<void> {
    const { database } = this.deps;
    await database.write(async () => {
      await database
        .knex()('npm_document')
        .insert({ package_id: id, revision: 1, built: 0 })
        .onConflict('package_id')
        .merge({ revision: database.knex().raw('npm_document.revision + 1') });
      database.afterCommit(() => this.rebuild(id));
    });
  }

  /** Makes the documents of a package unless they are good. Who waits behind another finds the work done, mostly. */
  rebuild(packageId: number): Promise<void> {
    const before = this.#building.get(packageId) ?? Promise.resolve();
    const next = before.catch(() => undefined).then(() => this.build(packageId));
    this.#building.set(packageId, next);
    const forget = () => {
      if (this.#building.get(packageId) === next) this.#building.delete(packageId);
    };
    next.then(forget, forget);
    return next;
  }

  /** Makes those that a killed process left behind, and those that tell of a former address or name. */
  async rebuildAll(signal: AbortSignal): Promise<void> {
    for (let after = 0; !signal.aborted;) {
      const rows = await this.deps.database
        .query(DocumentRow)
        .select('package_id')
        .where('package_id', '>', after)
        .orderBy('package_id')
        .limit(100);
      for (const { package_id } of rows) if (!signal.aborted) await this.rebuild(package_id);
      if (rows.length < 100) return;
      after = rows.at(-1)!.package_id;
    }
  }

  private async build(packageId: number): Promise<void> {
    const { database, store, accounts } = this.deps;
    const head = await this.head(packageId);
    if (!head) return;
    const package_ = (await store.byIds([packageId])).get(packageId);
    const owner = package_ && (await accounts.byId(package_.ownerId));
    if (owner && (await this.isCurrent(owner, head))) return;
    const input = owner && (await this.packumentInput(owner, package_));
    if (!input || input.versions.length === 0) {
      await database.write(() =>
        database.query(DocumentRow).delete().where({ package_id: packageId, revision: head.revision }),
      );
      return;
    }
    const whole = await textOf(input, 'whole');
    const short = await textOf(input, 'short');
    const [packedWhole, packedShort] = await Promise.all([pack(whole), pack(short)]);
    const kept = (packed: Buffer) => (packed.length > maxPacked ? null : packed);
    await database.write(() =>
      database
        .query(DocumentRow)
        .patch({
          built: head.revision,
          surroundings: surroundingsOf(input),
          creators: creatorsOf(input.versions),
          whole: kept(packedWhole),
          short: kept(packedShort),
          whole_tag: tagOf(whole),
          short_tag: tagOf(short),
        })
        // who changed the package meanwhile makes them anew
        .where({ package_id: packageId, revision: head.revision }),
    );
  }

  private async cachedTags(owner: Account, packageId: number): Promise<CachedTags> {
    const head = await this.head(packageId);
    return head && (await this.isCurrent(owner, head)) ? { whole: head.whole_tag, short: head.short_tag } : {};
  }

  private async head(packageId: number): Promise<DocumentRow | undefined> {
    return this.deps.database.query(DocumentRow).select(headColumns).findOne({ package_id: packageId });
  }

  private async isCurrent(owner: Account, { revision, built, surroundings, creators }: DocumentRow): Promise<boolean> {
    if (built !== revision) return false;
    const maintainers = await this.maintainers(creators ?? []);
    return surroundings === surroundingsOf({ baseUrl: this.baseUrl(owner), maintainers });
  }

  private baseUrl(owner: Account): string {
    return this.deps.site.url(`/api/packages/${encodeURIComponent(owner.name)}/npm`);
  }

  // ---------------------------------------------------------------- making

  private async packumentInput(owner: Account, package_: Package): Promise<PackumentInput> {
    const { store } = this.deps;
    // before the versions: a change in between makes it old
    const head = await this.head(package_.id);
    const versions = await store.versions(package_.id);
    return {
      name: package_.name,
      revision: revisionOf(package_.id, head, versions.length),
      versions,
      files: await store.files(versions.map((version) => version.id)),
      tags: await this.tagsOf(versions),
      stars: await this.stars(package_),
      maintainers: await this.maintainers(creatorsOf(versions)),
      baseUrl: this.baseUrl(owner),
    };
  }

  private async maintainers(creators: readonly number[]): Promise<Person[]> {
    const { accounts } = this.deps;
    const accountsById = await accounts.byIds(creators);
    return [...accountsById.values()].map((account) => ({ name: account.name, email: accounts.commitEmail(account) }));
  }

  private async tagsOf(versions: readonly Pick<PackageVersion, 'id' | 'version'>[]): Promise<Record<string, string>> {
    const properties = await this.deps.store.properties(
      'version',
      versions.map((version) => version.id),
      tagProperty,
    );
    return Object.fromEntries(
      versions.flatMap((version) => (properties.get(version.id) ?? []).map(({ value }) => [value, version.version])),
    );
  }
}

const textOf = (input: PackumentInput, form: Form) => (form === 'short' ? abbreviated(input) : packument(input));

const creatorsOf = (versions: readonly PackageVersion[]) =>
  [...new Set(versions.map((version) => version.creatorId))].sort((one, other) => one - other);

/** In the manner of CouchDB, for clients: they send it back with what they change. */
const revisionOf = (packageId: number, head: DocumentRow | undefined, versions: number) =>
  `${versions}-${digest(`${packageId}:${head?.revision ?? 0}`).slice(0, 32)}`;

/** Does the text look like a `_rev` of ours? Clients send others too, such as `undefined`. */
export const isRevision = (text: string) => /^\d+-[0-9a-f]{32}$/.test(text);

/** Version of the document layout: a change rebuilds the cached documents. */
const layout = 2;

const surroundingsOf = ({ baseUrl, maintainers }: Pick<PackumentInput, 'baseUrl' | 'maintainers'>) =>
  digest(JSON.stringify([layout, baseUrl, [...maintainers].sort((one, other) => (one.name < other.name ? -1 : 1))]));
