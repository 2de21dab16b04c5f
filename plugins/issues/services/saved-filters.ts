import { Invalid, type Database } from '@mortise/plugin-sdk';
import { FilterRow } from '../models/filter.js';
import { t } from '../texts/index.js';

/** Of one person and one list. */
const maxSaved = 30;

export interface SavedFilter {
  readonly id: number;
  readonly name: string;
  /** As in the address of the list, without `?`. */
  readonly query: string;
}

/** The list that a filter is of; without a repository: that across repositories. */
interface FilteredList {
  readonly userId: number;
  readonly repositoryId?: number;
  readonly isPull: boolean;
}

const keyOf = ({ userId, repositoryId, isPull }: FilteredList) => ({
  user_id: userId,
  repository_id: repositoryId ?? null,
  is_pull: isPull,
});

/** Filters of lists that people keep for themselves. */
export class SavedFilterService {
  constructor(private readonly database: Database) {}

  async list(of: FilteredList): Promise<SavedFilter[]> {
    const rows = await this.#of(of).orderBy('id').limit(maxSaved);
    return rows.map(({ id, name, query }) => ({ id, name, query }));
  }

  /** Invalid without a name, and for one too many. */
  async save(of: FilteredList, name: string, query: string): Promise<void> {
    const refused = (text: ReturnType<typeof t.later>) => Invalid(text, { inputs: { name: text } });
    if (!name) throw refused(t.later('filter.noName'));
    await this.database.write(async () => {
      if ((await this.#of(of).resultSize()) >= maxSaved) throw refused(t.later('filter.tooMany', { limit: maxSaved }));
      await this.database.query(FilterRow).insert({ ...keyOf(of), name, query, created_at: Date.now() });
    });
  }

  /** One that is not theirs stays. */
  async delete(userId: number, id: number): Promise<void> {
    await this.database.write(() => this.database.query(FilterRow).delete().where({ id, user_id: userId }));
  }

  #of({ userId, repositoryId, isPull }: FilteredList) {
    const query = this.database.query(FilterRow).where({ user_id: userId, is_pull: isPull });
    return repositoryId === undefined ? query.whereNull('repository_id') : query.where('repository_id', repositoryId);
  }
}
