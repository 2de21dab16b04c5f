import { TooLarge, type Database } from '@mortise/plugin-sdk';
import type { Properties } from '../contract/store.js';
import { PropertyRow } from '../models/property.js';

export type PropertyOwner = 'package' | 'version' | 'file';

/** Of one package, version or file. */
const maxProperties = 10_000;

/** What formats say of packages, versions and files, name by name. In the caller's transaction. */
export class PropertyRows {
  constructor(private readonly database: Database) {}

  /** Too large for more than one owner may have. */
  async add(of: PropertyOwner, id: number, properties: Properties = {}): Promise<void> {
    const rows = Object.entries(properties).flatMap(([name, values]) =>
      (typeof values === 'string' ? [values] : values).map((value) => ({ ref_type: of, ref_id: id, name, value })),
    );
    if (rows.length > maxProperties) throw TooLarge(`The package has more than ${maxProperties} properties.`);
    for (let at = 0; at < rows.length; at += 100)
      await this.database
        .knex()(PropertyRow.tableName)
        .insert(rows.slice(at, at + 100));
  }

  async replace(of: PropertyOwner, id: number, name: string, values: readonly string[]): Promise<void> {
    await this.database.query(PropertyRow).delete().where({ ref_type: of, ref_id: id, name });
    await this.add(of, id, { [name]: values });
  }

  async remove(of: PropertyOwner, ids: readonly number[]): Promise<void> {
    for (let at = 0; at < ids.length; at += 500) {
      await this.database
        .query(PropertyRow)
        .delete()
        .where('ref_type', of)
        .whereIn('ref_id', ids.slice(at, at + 500));
    }
  }
}
