import type { SourceReaction } from '../contract/records.js';
import { numberOf, recordsOf, textOf, userOf, type Answered, type GiteaApi } from './gitea-api.js';
import { reactionsOf } from './gitea-records.js';
import { each } from './linked-pages.js';

type Reactions = ReadonlyMap<number, readonly SourceReaction[]>;

/** As many as a page of the list of reactions may have, at any service of the kind. */
const maxReactions = 50;

/** Reactions to the texts of a page: in one request where the source can, as another Mortise, else one for each text. */
export class GiteaReactions {
  #hasMany: boolean | undefined;

  constructor(
    private readonly api: GiteaApi,
    private readonly repo: string,
  ) {}

  /** By the number of the issue. */
  toIssues = (issues: readonly Answered[]): Promise<Reactions> =>
    this.#of(
      'issues',
      issues.map(({ number }) => numberOf(number)),
      (number) => `/issues/${number}`,
    );

  /** By the id of the comment. */
  toComments = (comments: readonly Answered[]): Promise<Reactions> =>
    this.#of(
      'comments',
      comments.map(({ id }) => numberOf(id)),
      (id) => `/issues/comments/${id}`,
    );

  async #of(kind: 'issues' | 'comments', ids: readonly number[], path: (id: number) => string): Promise<Reactions> {
    if (ids.length === 0) return new Map();
    const many = this.#hasMany === false ? undefined : await this.#many(kind, ids);
    if (many) return many;
    const lists = await each(ids, (id) => this.#one(path(id)));
    return new Map(ids.map((id, at) => [id, lists[at]!]));
  }

  /** Undefined where the source has no such list, or it is too long. */
  async #many(kind: 'issues' | 'comments', ids: readonly number[]): Promise<Reactions | undefined> {
    const path = `${this.repo}/issues/reactions?${kind}=${ids.join(',')}`;
    const { status, data } = await this.api.get(path, [400, 403, 404, 405, 422, 500]);
    // other services take the word for the number of an issue
    if (status !== 200 || !Array.isArray(data)) {
      this.#hasMany ??= false;
      return undefined;
    }
    this.#hasMany = true;
    const reactions = new Map<number, SourceReaction[]>(ids.map((id) => [id, []]));
    for (const record of recordsOf(data)) {
      const id = numberOf(kind === 'issues' ? record.issue : record.comment);
      reactions.get(id)?.push({ content: textOf(record.content), user: userOf(record.user) });
    }
    return reactions;
  }

  /** Of what was deleted meanwhile there are none. */
  async #one(path: string): Promise<readonly SourceReaction[]> {
    const { status, data } = await this.api.get(`${this.repo}${path}/reactions?limit=${maxReactions}`, [403, 404]);
    return status === 200 ? reactionsOf(data) : [];
  }
}
