import { Invalid, type Joi } from '@mortise/plugin-sdk';
import type {
  SourceAsset,
  SourceProject,
  SourceRelease,
  SourceRepository,
  SourceComment,
  SourceReview,
} from '../contract/records.js';
import type { SourcePages, SourceReader, SourceSubject } from '../contract/source.js';
import { CardList } from '../sources/board-pages.js';
import type { DumpFolder } from './folder.js';
import { milestonesOfDocument } from './milestones.js';
import { boardSchema, cardsOfRecord, isContinued, moreCardsSchema, projectOfRecord } from './project-records.js';
import {
  checkRecord,
  commentOfRecord,
  commentSchema,
  issueOfRecord,
  issueSchema,
  labelOfRecord,
  labelSchema,
  pullOfRecord,
  pullSchema,
  timeIn,
} from './records.js';
import {
  releaseOfRecord,
  releaseSchema,
  repositoryRecordSchema,
  topicsSchema,
  type ReleaseRecord,
} from './release-records.js';
import { reviewOfRecord, reviewSchema } from './review-records.js';
import type { DumpUnit } from './units.js';

const maxTopics = 1000;

/** Gives what lies in the folder of a dump, as a source gives what a service has. */
export class DumpReader implements SourceReader {
  readonly comments = undefined;

  constructor(
    private readonly folder: DumpFolder,
    private readonly units: ReadonlySet<DumpUnit>,
    private readonly isStrict: boolean,
  ) {}

  async repository(): Promise<SourceRepository> {
    const record = await this.#document('repo.yml', repositoryRecordSchema);
    if (!record) throw Invalid('There is no repo.yml: the folder is not the dump of a repository.');
    const topics = (await this.#document('topic.yml', topicsSchema))?.topics ?? [];
    return {
      name: record.name ?? '',
      description: record.description ?? '',
      website: record.website ?? '',
      isPrivate: record.is_private === true,
      defaultBranch: record.default_branch ?? '',
      topics: topics.slice(0, maxTopics),
      cloneUrl: record.original_url || record.clone_addr || '',
    };
  }

  labels = (after?: string) => this.#pages('label.yml', labelSchema, after, labelOfRecord);

  async *milestones(after?: string) {
    for await (const { items, next, from } of this.#chunks('milestone.yml', after)) {
      const milestones = milestonesOfDocument(items).map((one, at) => ({ ...one, id: String(from + at + 1) }));
      yield { items: milestones, ...(next !== undefined && { next }) };
    }
  }

  async *releases(after?: string): SourcePages<SourceRelease> {
    for await (const { items, ...page } of this.#pages('release.yml', releaseSchema, after, numbered)) {
      const releases = [];
      for (const [record, number] of items) releases.push(releaseOfRecord(record, number, await this.#assets(record)));
      yield { ...page, items: releases };
    }
  }

  issues = (after?: string) => this.#pages('issue.yml', issueSchema, after, issueOfRecord);

  pullRequests = (after?: string) => this.#pages('pull_request.yml', pullSchema, after, pullOfRecord);

  async *commentsOf({ number }: SourceSubject, after?: string): SourcePages<SourceComment> {
    if (!this.units.has('comments')) return yield { items: [] };
    // the name of the file counts
    yield* this.#pages(`comments/${number}.yml`, commentSchema, after, (record, position) =>
      commentOfRecord({ ...record, issue_index: number }, position),
    );
  }

  async *reviewsOf({ number }: SourceSubject, after?: string): SourcePages<SourceReview> {
    if (!this.units.has('comments')) return yield { items: [] };
    const read = this.#pages(`reviews/${number}.yml`, reviewSchema, after, (record, position) =>
      reviewOfRecord({ ...record, issue_index: number }, position),
    );
    for await (const page of read) yield { ...page, items: page.items.flatMap((one) => one ?? []) };
  }

  /** One on each page. A board ends where the next one begins. */
  async *projects(after?: string): SourcePages<SourceProject> {
    const path = 'projects.yml';
    let board: Omit<SourceProject, 'cards'> | undefined;
    let list = new CardList();
    if (this.units.has('projects'))
      for await (const { items, from } of this.#chunks(path, after))
        for (const [at, item] of items.entries()) {
          if (board && isContinued(item)) {
            const more = checkRecord(moreCardsSchema, item, path, this.isStrict);
            for (const card of cardsOfRecord(more.cards)) list.add(card);
            continue;
          }
          const record = checkRecord(boardSchema, item, path, this.isStrict);
          if (board) yield { items: [{ ...board, cards: list.cards }], next: String(from + at) };
          list = new CardList();
          for (const card of cardsOfRecord(record.cards)) list.add(card);
          board = projectOfRecord(record, from + at + 1);
        }
    yield { items: board ? [{ ...board, cards: list.cards }] : [] };
  }

  /** Files of a release; those that lie elsewhere are left out, and none may be missing or lead out of the folder. */
  async #assets(record: ReleaseRecord): Promise<SourceAsset[]> {
    const { folder } = this;
    const assets: SourceAsset[] = [];
    for (const asset of this.units.has('release_assets') ? (record.assets ?? []) : []) {
      const path = (asset.download_url ?? '').replace(/^\.\//, '');
      if (/^[a-z]+:/i.test(path)) continue;
      if (!path.startsWith('release_assets/'))
        throw Invalid(`${path.slice(0, 200)} of ${asset.name.slice(0, 100)} does not lie below release_assets.`);
      const size = await folder.size(path);
      if (size === undefined) throw Invalid(`There is no file ${path.slice(0, 200)}.`);
      assets.push({
        id: String(assets.length),
        name: asset.name,
        size,
        createdAt: timeIn(asset.created),
        async read(take) {
          const file = await folder.open(path);
          if (!file) throw Invalid(`There is no file ${path.slice(0, 200)}.`);
          try {
            return await take(file.createReadStream({ autoClose: false }));
          } finally {
            await file.close();
          }
        },
      });
    }
    return assets;
  }

  async #document<T>(path: string, schema: Joi.ObjectSchema<T>): Promise<T | undefined> {
    const document = await this.folder.document(path);
    return document === undefined || document === null ? undefined : checkRecord(schema, document, path, this.isStrict);
  }

  async *#pages<R, T>(
    path: string,
    schema: Joi.ObjectSchema<R>,
    after: string | undefined,
    read: (record: R, number: number) => T,
  ): SourcePages<T> {
    for await (const { items, next, from } of this.#chunks(path, after)) {
      const records = items.map((item) => checkRecord(schema, item, path, this.isStrict));
      yield { items: records.map((record, at) => read(record, from + at + 1)), ...(next !== undefined && { next }) };
    }
  }

  /** Elements of a list, some at a time, behind a position: the number of elements before it. */
  async *#chunks(path: string, after: string | undefined) {
    const skipped = Number(after ?? 0);
    let from = 0;
    for await (const elements of this.folder.list(path)) {
      const items = elements.slice(Math.max(0, skipped - from));
      const start = Math.max(from, skipped);
      from += elements.length;
      if (items.length) yield { items, from: start, next: String(from) };
    }
    yield { items: [], from, next: undefined };
  }
}

const numbered = <T>(record: T, number: number) => [record, number] as const;
