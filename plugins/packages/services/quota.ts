import { Forbidden, type Actor, type Database } from '@mortise/plugin-sdk';
import { parseSize, type PackageSettings } from '../settings.js';

/** Limits of formats and owners; site administrators have none. Exceeding one is 403, as clients expect. */
export class Quota {
  constructor(
    private readonly database: Database,
    private readonly settings: Readonly<PackageSettings>,
  ) {}

  /** Bytes that one file of the format may have; -1: any number. */
  fileLimit(type: string, actor: Actor): number {
    if (actor.isAdmin) return -1;
    const text = this.settings[`LIMIT_SIZE_${type.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`];
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

  /** Inside the transaction that adds files. */
  async checkSize(ownerId: number, adding: number, actor: Actor): Promise<void> {
    const limit = parseSize(this.settings.LIMIT_TOTAL_OWNER_SIZE);
    if (limit < 0 || actor.isAdmin) return;
    const [row] = (await this.database
      .knex()('package_file as f')
      .join('package_version as v', 'v.id', 'f.version_id')
      .join('package as p', 'p.id', 'v.package_id')
      .join('package_blob as b', 'b.id', 'f.blob_id')
      .where({ 'p.owner_id': ownerId, 'v.is_internal': false })
      .sum({ size: 'b.size' })) as { size: number | null }[];
    if (Number(row?.size ?? 0) + adding > limit) throw Forbidden('maximum allowed package storage quota exceeded');
  }
}
