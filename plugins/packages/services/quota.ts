import { Forbidden, parseSize, type Actor, type Database, type Knex } from '@mortise/plugin-sdk';
import type { OwnerQuota } from '@mortise/accounts/api';
import type { ReceivedBlob } from '../api.js';
import { sizeLimitKey, type PackageSettings } from '../settings.js';

/** Limits of formats and owners; site administrators have none. Exceeding one is 403, as clients expect. */
export class Quota {
  constructor(
    private readonly database: Database,
    private readonly settings: Readonly<PackageSettings>,
    private readonly ownerQuota: OwnerQuota,
  ) {}

  /** Bytes that one file of the format may have; -1: any number. */
  fileLimit(type: string, actor: Actor): number {
    if (actor.isAdmin) return -1;
    const text = this.settings[sizeLimitKey(type)];
    return text === undefined ? -1 : parseSize(text);
  }

  tooLarge = () => Forbidden('maximum allowed package type size exceeded');

  /** Inside the transaction that adds a version. */
  async checkCount(ownerId: number, actor: Actor): Promise<void> {
    const limit = this.settings.LIMIT_TOTAL_OWNER_COUNT;
    if (limit < 0 || actor.isAdmin) return;
    const [row] = (await this.database
      .knex()('package_version as v')
      .join('package as p', 'p.id', 'v.package_id')
      .where({ 'p.owner_id': ownerId, 'v.is_internal': false })
      .count({ count: '*' })) as { count: number }[];
    if (Number(row?.count ?? 0) >= limit) throw Forbidden('maximum allowed package count exceeded');
  }

  /** Inside the transaction that adds files with these contents: what the owner has already takes no more room. */
  async checkAndLock(ownerId: number, blobs: readonly Pick<ReceivedBlob, 'id' | 'size'>[]): Promise<void> {
    if (!this.ownerQuota.isLimited || blobs.length === 0) return;
    const sizes = new Map(blobs.map(({ id, size }) => [id, size]));
    const there = (await contentsOf(this.database.knex(), ownerId)
      .whereIn('f.blob_id', [...sizes.keys()])
      .pluck('f.blob_id')) as number[];
    for (const id of there) sizes.delete(id);
    const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    if (bytes > 0) await this.ownerQuota.checkAndLock(ownerId, 'size:assets:packages:all', bytes);
  }

  /** Inside the transaction that adds files. */
  async checkSize(ownerId: number, adding: number, actor: Actor): Promise<void> {
    const limit = this.ownerLimit(actor);
    if (limit !== undefined && (await this.stored(ownerId)) + adding > limit) throw this.exceeded();
  }

  /** Inside the transaction that has added files which wait for a version that takes them. */
  async checkWaiting(ownerId: number, actor: Actor): Promise<void> {
    const limit = this.ownerLimit(actor);
    if (limit !== undefined && (await this.stored(ownerId)) + (await this.waiting(ownerId)) > limit)
      throw this.exceeded();
  }

  /** Bytes that the owner may add, beside what is there and what waits; undefined: any number. */
  async room(ownerId: number, actor: Actor): Promise<number | undefined> {
    const limit = this.ownerLimit(actor);
    return limit === undefined
      ? undefined
      : Math.max(0, limit - (await this.stored(ownerId)) - (await this.waiting(ownerId)));
  }

  exceeded = () => Forbidden('maximum allowed package storage quota exceeded');

  private ownerLimit(actor: Actor): number | undefined {
    const limit = parseSize(this.settings.LIMIT_TOTAL_OWNER_SIZE);
    return limit < 0 || actor.isAdmin ? undefined : limit;
  }

  private stored(ownerId: number): Promise<number> {
    return this.sizeOf(ownerId, (files) => files.where('v.is_internal', false));
  }

  /** In hidden versions of packages that others see, and in no other version of theirs. */
  private waiting(ownerId: number): Promise<number> {
    const knex = this.database.knex();
    const taken = knex('package_file as g')
      .join('package_version as w', 'w.id', 'g.version_id')
      .where({ 'g.blob_id': knex.ref('f.blob_id'), 'w.package_id': knex.ref('v.package_id'), 'w.is_internal': false })
      .select('g.id');
    return this.sizeOf(ownerId, (files) =>
      files.where({ 'v.is_internal': true, 'p.is_internal': false }).whereNotExists(taken),
    );
  }

  private async sizeOf(ownerId: number, narrow: (files: Knex.QueryBuilder) => Knex.QueryBuilder): Promise<number> {
    const files = this.database
      .knex()('package_file as f')
      .join('package_version as v', 'v.id', 'f.version_id')
      .join('package as p', 'p.id', 'v.package_id')
      .join('package_blob as b', 'b.id', 'f.blob_id')
      .where('p.owner_id', ownerId);
    const [row] = (await narrow(files).sum({ size: 'b.size' })) as { size: number | null }[];
    return Number(row?.size ?? 0);
  }
}

/** Files of the packages of an owner that others see. */
const contentsOf = (knex: Knex, ownerId: number): Knex.QueryBuilder =>
  knex('package_file as f')
    .join('package_version as v', 'v.id', 'f.version_id')
    .join('package as p', 'p.id', 'v.package_id')
    .where({ 'p.owner_id': ownerId, 'p.is_internal': false });

/** Bytes of the packages of an owner, each content once. */
export const packageBytes = (knex: Knex, ownerId: number): Knex.QueryBuilder =>
  knex('package_blob')
    .whereIn('id', contentsOf(knex, ownerId).select('f.blob_id'))
    .select(knex.raw("'size:assets:packages:all' as subject"), knex.raw('sum(size) as bytes'));
