import { BaseModel } from '@mortise/plugin-sdk';

/** The documents of a package as they are sent. */
export class DocumentRow extends BaseModel {
  static override tableName = 'npm_document';
  static override idColumn = 'package_id';
  static override json = ['creators'];
  declare package_id: number;
  /** Grows with every change of the package. */
  declare revision: number;
  /** The revision that the documents show; another than `revision`: they are old. */
  declare built: number;
  /** Digest of what else they tell: the address of the registry, and who published. */
  declare surroundings: string;
  /** Ids of the accounts that published the versions. */
  declare creators?: number[] | null;
  declare whole_tag: string;
  declare short_tag: string;
  /** Packed by gzip. */
  declare whole?: Buffer | null;
  declare short?: Buffer | null;
}
