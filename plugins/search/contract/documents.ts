/** The index of texts. */
import type { QueryBuilder } from 'objection';
import { defineEvent, definePoint, defineService, type Keyed, type Model } from '@mortise/plugin-sdk';

/** One text that can be found, for instance a comment. The language of it does not matter. */
export interface SearchDocument {
  /** Whose text it is: `issue`, `comment`; at most 40 characters. */
  readonly kind: string;
  /** Unique within its kind. */
  readonly id: number;
  readonly repositoryId: number;
  /** What is found by it, for instance the issue of a comment. */
  readonly subjectType: string;
  readonly subjectId: number;
  readonly title?: string;
  readonly body: string;
}

/**
 * What people typed: every word must occur in a document, as the beginning of a word or of a part of a compound
 * (`getUserName`, `user_name`); "words in quotes" in this order. Scripts without spaces match anywhere. Case and accents do
 * not count.
 */
export interface TextSearch {
  readonly subjectType: string;
  readonly text: string;
  readonly repositoryId?: number;
  /**
   * Only of these: ids as a subquery of one column, by which the newest are chosen. An engine of its own may pass it over:
   * who asks narrows what is found by the same.
   */
  readonly repositories?: QueryBuilder<Model>;
  /**
   * Only documents for which the subquery has a row: it is asked for each that matches, before the newest are chosen, and
   * gets the names of the columns that it may compare with. An engine of its own may pass it over, as above.
   */
  readonly among?: (document: DocumentColumns) => QueryBuilder<Model>;
}

/** Columns of the document that is looked at. */
export interface DocumentColumns {
  readonly family: string;
  readonly subject: string;
}

/** The same in several types of subjects at once. */
export interface TextSearches extends Omit<TextSearch, 'subjectType'> {
  readonly subjectTypes: readonly string[];
  /** Newest documents that are looked at, of all types together: 5,000, or fewer. */
  readonly max?: number;
}

export interface SearchIndex {
  /** Adds and replaces documents, in the caller's transaction; only SQL. */
  put(documents: readonly SearchDocument[]): Promise<void>;
  /** Takes documents of a kind out, in the caller's transaction. Those of a repository that is deleted go by themselves. */
  remove(kind: string, ids: readonly number[]): Promise<void>;
  /** Takes everything of these subjects out, in the caller's transaction. */
  removeSubjects(subjectType: string, ids: readonly number[]): Promise<void>;
  /**
   * Ids of the subjects that match, in no order, each once: those of the newest 5,000 documents. What the actor may see is
   * for the caller to narrow.
   */
  find(search: TextSearch): Promise<readonly number[]>;
  /** The same by type of subject. */
  findEach(search: TextSearches): Promise<ReadonlyMap<string, readonly number[]>>;
  /** The same of one kind of documents, with their own ids, the newest first. */
  findDocuments(search: TextSearch & { readonly kind: string }): Promise<readonly number[]>;
}
export const searchIndex = defineService<SearchIndex>('search.index');

/**
 * Extension point: where the texts of a kind come from, for an index that is made anew: at the first start, when the
 * version grows, by `mortise search rebuild`. Its key is the kind.
 */
export interface SearchSource extends Keyed {
  /** Grows when other texts are indexed than before. */
  readonly version: number;
  /**
   * The documents of the next ids after this one, in their order, at most so many. Called in a transaction: lock what is
   * read (`forUpdate`), so that nobody changes it before the index has it.
   */
  batch(afterId: number, limit: number): Promise<readonly SearchDocument[]>;
  count(): Promise<number>;
}
export const searchSources = definePoint.keyed<SearchSource>('search.sources');

/**
 * Extension point: an engine of its own in place of the database's. It keeps up by {@link documentsChanged}, whose texts it
 * reads from {@link searchSources}, and answers with the subjects of the newest documents that match.
 */
export interface SearchEngine extends Keyed {
  find(search: TextSearch, limit: number): Promise<readonly number[]>;
  findDocuments(search: TextSearch & { readonly kind: string }, limit: number): Promise<readonly number[]>;
}
export const searchEngine = definePoint.keyed<SearchEngine>('search.engine');

interface DocumentsChanged {
  readonly kind: string;
  readonly ids: readonly number[];
  readonly isRemoved: boolean;
}
/** Emitted only while there is a {@link searchEngine}; subscribe `after`. */
export const documentsChanged = defineEvent<DocumentsChanged>('search.documentsChanged');
