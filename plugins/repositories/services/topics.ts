import {
  pageOf,
  Invalid,
  NotFound,
  type Actor,
  type Database,
  type Text,
  apiTime,
  retryDuplicate,
} from '@mortise/plugin-sdk';
import type { Repository } from '../api.js';
import { RepositoryTopicRow } from '../models/repository-topic.js';
import { TopicRow } from '../models/topic.js';
import { RepositoryRow } from '../models/repository.js';
import type { Grants } from './grants.js';
import { lockRepositoryRow } from './row-locks.js';
import { t } from '../texts/index.js';

const form = /^[a-z0-9][-.a-z0-9]{0,34}$/;
const maxTopics = 25;

const refused = (text: Text, invalidTopics: unknown) =>
  Invalid(text, { inputs: { topics: text }, fields: { invalidTopics } });

/** Topics of repositories; the list on the repository's row repeats the relation for reading. */
export class TopicService {
  constructor(
    private readonly database: Database,
    private readonly grants: Grants,
  ) {}

  /** The names as they are stored; throws Invalid with those that are none. */
  check(names: readonly string[]): string[] {
    const wanted = [...new Set(names.map((name) => name.trim().toLowerCase()).filter(Boolean))];
    if (wanted.length > maxTopics) throw refused(t.later('error.topicsMany', { max: maxTopics }), null);
    const bad = wanted.filter((name) => !form.test(name));
    if (bad.length) throw refused(t.later('error.topics'), bad);
    return wanted;
  }

  replace(repository: Repository, names: readonly string[]): Promise<void> {
    const wanted = this.check(names);
    return this.#change(repository, () => wanted);
  }

  async add(repository: Repository, name: string): Promise<void> {
    const lower = this.#name(name);
    await this.#change(repository, (topics) => {
      if (topics.includes(lower)) return topics;
      if (topics.length >= maxTopics) throw Invalid(t.later('error.topicsMany', { max: maxTopics }));
      return [...topics, lower];
    });
  }

  async remove(repository: Repository, name: string): Promise<void> {
    const lower = this.#name(name);
    await this.#change(repository, (topics) => {
      if (!topics.includes(lower)) throw NotFound('topic');
      return topics.filter((topic) => topic !== lower);
    });
  }

  #name(name: string): string {
    const lower = name.trim().toLowerCase();
    if (!form.test(lower)) throw refused(t.later('error.topics'), lower);
    return lower;
  }

  /** The list is read in the transaction: of two that add a topic at once, both stay. */
  #change(repository: Repository, next: (topics: readonly string[]) => readonly string[]): Promise<void> {
    const { database } = this;
    const store = async () => {
      await lockRepositoryRow(database, repository.id);
      const row = await database.query(RepositoryRow).findById(repository.id).select('topics');
      if (!row) throw NotFound('repository');
      const wanted = [...next(row.topics)].sort();
      const has = await this.#ids(wanted);
      const relations = await database.query(RepositoryTopicRow).where('repository_id', repository.id);
      const had = new Set(relations.map((one) => one.topic_id));
      for (const id of has) {
        if (had.has(id)) continue;
        await database.query(RepositoryTopicRow).insert({ repository_id: repository.id, topic_id: id });
        await database.query(TopicRow).findById(id).patch({ updated_at: Date.now() });
        await database.query(TopicRow).findById(id).increment('repository_count', 1);
      }
      for (const id of had) {
        if (has.has(id)) continue;
        await database.query(RepositoryTopicRow).deleteById([repository.id, id]);
        await database.query(TopicRow).findById(id).decrement('repository_count', 1);
      }
      await database.query(RepositoryRow).findById(repository.id).patch({ topics: wanted });
    };
    return retryDuplicate(() => database.write(store));
  }

  /** Ids of the names, made where there are none yet. */
  async #ids(names: readonly string[]): Promise<ReadonlySet<number>> {
    const known = await this.database.query(TopicRow).whereIn('name', names);
    const ids = new Set(known.map((row) => row.id));
    const now = Date.now();
    for (const name of names) {
      if (known.some((row) => row.name === name)) continue;
      const row = await this.database
        .query(TopicRow)
        .insertAndFetch({ name, repository_count: 0, created_at: now, updated_at: now });
      ids.add(row.id);
    }
    return ids;
  }

  /** REP-16; what only repositories have that the actor may not see is not told. */
  async search(text: string, actor: Actor, limit: number, offset: number) {
    const query = this.database.query(TopicRow).where('name', 'like', `%${text.toLowerCase().replace(/[%_\\]/g, '')}%`);
    const visible = () => RepositoryRow.query().select('repository.id').where(this.grants.visibleTo(actor));
    const seen = RepositoryTopicRow.query().select('topic_id').whereIn('repository_id', visible());
    void query.where((either) => void either.where('repository_count', 0).orWhereIn('id', seen));
    const { rows, total } = await pageOf(query.orderBy('repository_count', 'desc').orderBy('id'), { limit, offset });
    const counts = (await this.database
      .query(RepositoryTopicRow)
      .select('topic_id')
      .count('* as count')
      .whereIn(
        'topic_id',
        rows.map((row) => row.id),
      )
      .whereIn('repository_id', visible())
      .groupBy('topic_id')) as unknown as { readonly topic_id: number; readonly count: number | string }[];
    const countOf = new Map(counts.map(({ topic_id: id, count }) => [id, Number(count)]));
    const topics = rows.map((row) => ({
      id: row.id,
      topic_name: row.name,
      repo_count: countOf.get(row.id) ?? 0,
      created: apiTime(Number(row.created_at)),
      updated: apiTime(Number(row.updated_at)),
    }));
    return { topics, total };
  }
}
