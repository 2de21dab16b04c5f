import { checkFields, Invalid, NotFound, refusedField, type Database, type QueryCache } from '@mortise/plugin-sdk';
import { SavedReplyRow } from '../models/saved-reply.js';
import { t } from '../texts/index.js';

export interface SavedReply {
  readonly id: number;
  readonly title: string;
  /** Markdown. */
  readonly text: string;
}
type Given = Omit<SavedReply, 'id'>;

/** Of one user. */
const maxReplies = 100;
export const maxTitle = 100;
/** Characters. */
export const maxText = 20_000;

interface Deps {
  readonly database: Database;
  readonly cached: QueryCache<readonly SavedReply[]>;
}

/** The saved replies of each user. */
export class SavedReplies {
  constructor(private readonly deps: Deps) {}

  /** By title. */
  list(userId: number): Promise<readonly SavedReply[]> {
    return this.deps.cached.load(String(userId), async () => {
      const rows = await this.deps.database.query(SavedReplyRow).where('user_id', userId).limit(maxReplies);
      return rows
        .map(({ id, title, text }) => ({ id, title, text }))
        .sort((one, other) => one.title.localeCompare(other.title) || one.id - other.id);
    });
  }

  /** @throws NotFound: the user has no such reply */
  async byId(userId: number, id: number): Promise<SavedReply> {
    const reply = (await this.list(userId)).find((one) => one.id === id);
    if (!reply) throw NotFound('saved reply');
    return reply;
  }

  /** @throws Invalid: a title or text that is missing or too long, or too many replies */
  async add(userId: number, given: Given): Promise<void> {
    await check(given);
    const { database } = this.deps;
    await database.write(async () => {
      const count = await database.query(SavedReplyRow).where('user_id', userId).resultSize();
      if (count >= maxReplies) throw Invalid(t.later('error.tooMany', { max: maxReplies }));
      await database.query(SavedReplyRow).insert({ user_id: userId, ...given });
    });
  }

  /** @throws Invalid, NotFound */
  async change(userId: number, id: number, given: Given): Promise<void> {
    await check(given);
    await this.#write(userId, id, (row) => row.patch(given));
  }

  /** @throws NotFound */
  remove(userId: number, id: number): Promise<void> {
    return this.#write(userId, id, (row) => row.delete());
  }

  #write(userId: number, id: number, write: (row: ReturnType<Database['query']>) => unknown): Promise<void> {
    const { database } = this.deps;
    return database.write(async () => {
      const isThere = await database.query(SavedReplyRow).findOne({ id, user_id: userId });
      if (!isThere) throw NotFound('saved reply');
      await write(database.query(SavedReplyRow).where({ id }));
    });
  }
}

const check = ({ title, text }: Given): Promise<void> =>
  checkFields({
    title: () => {
      if (title === '' || title.length > maxTitle)
        throw refusedField('title', t.later('error.title', { max: maxTitle }));
    },
    text: () => {
      if (text.trim() === '' || text.length > maxText)
        throw refusedField('text', t.later('error.text', { max: maxText }));
    },
  });
