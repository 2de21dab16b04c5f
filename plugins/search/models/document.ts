import { BaseModel } from '@mortise/plugin-sdk';

/** Texts as they are looked for; see `services/terms.ts`. */
export class DocumentRow extends BaseModel {
  static override tableName = 'search_document';
  declare id: number;
  declare kind: string;
  declare resource_id: number;
  declare repository_id: number;
  declare family: string;
  declare subject_id: number;
  /** Terms for the family and the repository, which SQLite narrows by inside its index. */
  declare scope: string;
  declare title_terms: string;
  declare body_terms: string;
}

/** How far the index of a kind has come. */
export class SourceRow extends BaseModel {
  static override tableName = 'search_source';
  static override idColumn = 'kind';
  declare kind: string;
  declare version: number;
  declare last_id: number;
  declare is_complete: boolean;
}

/** How far a repository is indexed. */
export class TreeRow extends BaseModel {
  static override tableName = 'search_tree';
  static override idColumn = 'repository_id';
  declare repository_id: number;
  declare branch: string;
  declare commit_id: string;
}

/** A file of the default branch; its id is that of its document. */
export class FileRow extends BaseModel {
  static override tableName = 'search_file';
  declare id: number;
  declare repository_id: number;
  declare path: string;
  declare path_key: string;
  declare oid: string;
  /** Of its text, as far as that is indexed; null: from a time when they were not counted. */
  declare bytes: number | null;
  declare seen_in: string;
}

/** A commit of the default branch; its id is that of its document. */
export class CommitRow extends BaseModel {
  static override tableName = 'search_commit';
  declare id: number;
  declare repository_id: number;
  declare oid: string;
  declare seen_in: string;
}

/** Repositories, for subqueries alone. */
export class RepositoryIdRow extends BaseModel {
  static override tableName = 'repository';
  declare id: number;
}
