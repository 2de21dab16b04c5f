import type { BaseModel } from './model.js';

/** Columns by name; the names come from code, never from a request. */
export type RowColumns = Readonly<Record<string, unknown>>;

/** A class of a model, or no more of it than a statement needs. */
export interface RowTable {
  readonly tableName: string;
  readonly json?: readonly string[];
}

/** A class of a model, of which the rows are read. */
export type RowModel<M extends BaseModel> = RowTable & {
  new (): M;
  fromDatabaseJson(json: object): BaseModel;
};

/** Rows of {@link RowStatements.insertWith}, each of which names the row before them in a column. */
export interface FollowingRows {
  readonly table: RowTable;
  /** Few, since each number of them makes a text of its own; all have the same columns. */
  readonly rows: readonly RowColumns[];
  readonly column: string;
}

export interface RowReadOptions {
  /** Nobody else changes them until the commit. */
  readonly forUpdate?: boolean;
  /** Default: all. */
  readonly columns?: readonly string[];
}

export interface RowChanges {
  readonly set?: RowColumns;
  readonly add?: Readonly<Record<string, number>>;
}

/**
 * Statements on rows by equal columns, for the paths that every page or every write takes; everything else asks
 * {@link Database.query}. Those whose name ends with `Pipelined` are queued in a transaction without waiting for an
 * answer: on MySQL they are sent with the next statement, or with the commit, in one message; what fails there fails the
 * transaction.
 */
export interface RowStatements {
  /** Inserts one row; gives its id where the table numbers them. */
  insert(table: RowTable, columns: RowColumns): Promise<number>;
  /**
   * In a transaction: inserts one row, which the table numbers, and others that name it by its number. Pipelined on MySQL.
   */
  insertWith(table: RowTable, columns: RowColumns, following: FollowingRows): Promise<void>;
  /** In a transaction: inserts one row, or where the `key` is taken sets the other columns of that row. */
  upsertPipelined(table: RowTable, key: readonly string[], columns: RowColumns): Promise<void>;
  /** The rows with these values, none of which is null; in no order. */
  find<M extends BaseModel>(model: RowModel<M>, where: RowColumns, options?: RowReadOptions): Promise<M[]>;
  /** The same of which there is one at most. */
  findOne<M extends BaseModel>(model: RowModel<M>, where: RowColumns, options?: RowReadOptions): Promise<M | undefined>;
  /** The rows with these ids; in no order. */
  findByIds<M extends BaseModel>(model: RowModel<M>, ids: readonly number[]): Promise<M[]>;
  /**
   * Sets columns of the rows with these values, none of which is null, and adds to others. Gives the number of rows that
   * were found.
   */
  update(table: RowTable, where: RowColumns, changes: RowChanges): Promise<number>;
  /** In a transaction: the same. */
  updatePipelined(table: RowTable, where: RowColumns, changes: RowChanges): Promise<void>;
  /** Adds one to a column of the row with these values; gives what it is then, undefined where there is no such row. */
  increment(table: RowTable, where: RowColumns, column: string): Promise<number | undefined>;
}
