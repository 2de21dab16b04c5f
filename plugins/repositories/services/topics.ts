import { Invalid, NotFound, type Database, apiTime } from '@mortise/plugin-sdk';
import type { Repository } from '../api.js';
import { RepositoryTopicRow, TopicRow } from '../models/others.js';
import { RepositoryRow } from '../models/repository.js';

const form = /^[a-z0-9][-.a-z0-9]{0,34}$/;
const most = 25;

/** Topics of repositories; the list on the repository's row repeats the relation for reading. */
export class TopicService {
  constructor(private readonly database: Database) {}

  async replace(repository: Repository, names: readonly string[]): Promise<void> {
    const wanted = [...new Set(names.map((name) => name.trim().toLowerCase()).filter(Boolean))];
    if (wanted.length > most)
      throw Invalid(`a repository has at most ${most} topics`, { fields: { invalidTopics: [] } });
    const bad = wanted.filter((name) => !form.test(name));
    if (bad.length)
      throw Invalid(
        'topics start with a letter or digit, have only letters, digits, "-" and ".", and at most 35 characters',
        { fields: { invalidTopics: bad } },
      );
    await this.database.write(async () => {
      const now = Date.now();
      const known = await this.database.query(TopicRow).whereIn('name', wanted);
      const ids = new Map(known.map((row) => [row.name, row.id]));
      for (const name of wanted) {
        if (ids.has(name)) continue;
        const row = await this.database
          .query(TopicRow)
          .insertAndFetch({ name, repository_count: 0, created_at: now, updated_at: now });
        ids.set(name, row.id);
      }
      const had = new Set(
        (await this.database.query(RepositoryTopicRow).where('repository_id', repository.id)).map(
          (row) => row.topic_id,
        ),
      );
      const has = new Set(wanted.map((name) => ids.get(name)!));
      for (const id of has) {
        if (had.has(id)) continue;
        await this.database.query(RepositoryTopicRow).insert({ repository_id: repository.id, topic_id: id });
        await this.database.query(TopicRow).findById(id).patch({ updated_at: now });
        await this.database.query(TopicRow).findById(id).increment('repository_count', 1);
      }
      for (const id of had) {
        if (has.has(id)) continue;
        await this.database.query(RepositoryTopicRow).deleteById([repository.id, id]);
        await this.database.query(TopicRow).findById(id).decrement('repository_count', 1);
      }
      await this.database.query(RepositoryRow).findById(repository.id).patch({ topics: wanted.sort() });
    });
  }

  async add(repository: Repository, name: string): Promise<void> {
    const lower = name.trim().toLowerCase();
    if (!form.test(lower)) throw Invalid('the topic is no valid name', { fields: { invalidTopics: lower } });
    if (repository.topics.includes(lower)) return;
    if (repository.topics.length >= most) throw Invalid(`a repository has at most ${most} topics`);
    await this.replace(repository, [...repository.topics, lower]);
  }

  async remove(repository: Repository, name: string): Promise<void> {
    const lower = name.trim().toLowerCase();
    if (!form.test(lower)) throw Invalid('the topic is no valid name', { fields: { invalidTopics: lower } });
    if (!repository.topics.includes(lower)) throw NotFound('topic');
    await this.replace(
      repository,
      repository.topics.filter((topic) => topic !== lower),
    );
  }

  /** REP-16 */
  async search(text: string, limit: number, offset: number) {
    const query = this.database.query(TopicRow).where('name', 'like', `%${text.toLowerCase().replace(/[%_\\]/g, '')}%`);
    const total = await query.clone().resultSize();
    const rows = await query.orderBy('repository_count', 'desc').orderBy('id').limit(limit).offset(offset);
    const topics = rows.map((row) => ({
      id: row.id,
      topic_name: row.name,
      repo_count: row.repository_count,
      created: apiTime(Number(row.created_at)),
      updated: apiTime(Number(row.updated_at)),
    }));
    return { topics, total };
  }
}
