import type { Actor, Database } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { Repositories, Repository, RepositoryAccess, RepositoryContext } from '@mortise/repositories/api';
import { unitOf, type Issue, type TimelineEntry } from '../api.js';
import { IssueRow, toIssue } from '../models/issue.js';
import { TextVersionRow } from '../models/text-version.js';
import { TimelineRow } from '../models/timeline.js';
import { findMentionsInAll, type IssueReference, type MentionPatterns } from './mention-parser.js';
import { mayRecordReference } from './participation.js';
import type { TimelineService } from './timeline.js';

/** A text that was written: of an issue, or of one of its comments. */
interface WrittenText {
  readonly repository: Repository;
  readonly issue: Issue;
  /** Undefined: the text of the issue itself. */
  readonly comment?: TimelineEntry;
  readonly before: string | readonly string[];
  readonly text: string | readonly string[];
  /** Who wrote it, with what the credential reaches. */
  readonly actor: Actor;
  readonly at: number;
}

/** Follows what texts name: people are mentioned, issues get an entry in their timeline. */
export class TextFollower {
  constructor(
    private readonly deps: {
      readonly database: Database;
      readonly accounts: Accounts;
      readonly repositories: Repositories;
      readonly repositoryAccess: RepositoryAccess;
      readonly timeline: TimelineService;
      readonly mentionPatterns: MentionPatterns;
    },
  ) {}

  /** In the transaction that stores the text. Gives whom it mentions and did not before. */
  async follow(written: WrittenText): Promise<number[]> {
    const { mentionPatterns } = this.deps;
    const named = findMentionsInAll([written.text].flat(), mentionPatterns);
    const before = findMentionsInAll([written.before].flat(), mentionPatterns);
    const mentioned = named.users.length ? await this.#mention(written, named.users, before.users) : [];
    if (named.issues.length + before.issues.length) await this.#refer(written, before.issues, named.issues);
    return mentioned;
  }

  /** A comment goes, and with it the entries that tell of what it named. */
  async forget({ id, issueId }: TimelineEntry): Promise<void> {
    const { database } = this.deps;
    const references = await database.query(TimelineRow).where({ kind: 'comment_ref', subject_id: issueId });
    const gone = references.filter(({ data }) => data?.commentId === id).map((row) => row.id);
    if (gone.length) await database.query(TimelineRow).delete().whereIn('id', gone);
  }

  /** Keeps the text as it was, and the first time also the one before. */
  async keepVersion({
    issue,
    comment,
    before,
    text,
    actor,
    at,
  }: WrittenText & { readonly before: string; readonly text: string }): Promise<void> {
    const { database } = this.deps;
    const key = { issue_id: issue.id, entry_id: comment?.id ?? null };
    const of = comment ? comment.actorId : issue.posterId;
    const first = comment ? comment.createdAt : issue.createdAt;
    const known = await database.query(TextVersionRow).where(key).resultSize();
    if (!known) await database.query(TextVersionRow).insert({ ...key, editor_id: of, body: before, created_at: first });
    await database.query(TextVersionRow).insert({ ...key, editor_id: actor.id, body: text, created_at: at });
  }

  /** Only those who may read it; each once. Gives those who are not among the names `before`. */
  async #mention(
    { repository, issue, actor }: WrittenText,
    names: readonly string[],
    before: readonly string[],
  ): Promise<number[]> {
    const { database, accounts, repositoryAccess } = this.deps;
    const known = [...(await accounts.byNames(names)).values()].filter(({ kind }) => kind === 'user');
    if (known.length === 0) return [];
    const ids = known.map(({ id }) => id);
    const [rights, ...blocks] = await Promise.all([
      repositoryAccess.rightsAmong(known, repository),
      accounts.blockersAmong(ids, actor.id),
      accounts.blockersAmong(ids, repository.ownerId),
      accounts.blockedAmong(repository.ownerId, ids),
    ]);
    const isBlocked = (id: number) => blocks.some((some) => some.has(id));
    const able = known.filter(({ id }) => rights.get(id)?.may('read', unitOf(issue)) && !isBlocked(id));
    if (able.length)
      await database
        .knex()('issue_mention')
        .insert(able.map(({ id }) => ({ issue_id: issue.id, user_id: id })))
        .onConflict(['issue_id', 'user_id'])
        .ignore();
    return able.filter(({ lowerName }) => !before.includes(lowerName)).map(({ id }) => id);
  }

  async #refer(
    written: WrittenText,
    before: readonly IssueReference[],
    named: readonly IssueReference[],
  ): Promise<void> {
    const { database, timeline } = this.deps;
    const { issue, comment, actor, at } = written;
    const kind = comment ? 'comment_ref' : issue.isPull ? 'pull_ref' : 'issue_ref';
    const source = comment ? `comment:${comment.id}` : `issue:${issue.id}`;
    const stillNamed = await this.#references(written, named);
    const gone = (await this.#references(written, before)).filter(
      ({ target }) => !stillNamed.some((one) => one.target.id === target.id),
    );
    const now: typeof stillNamed = [];
    for (const one of stillNamed)
      if (await mayRecordReference(this.deps.accounts, { issue: one.target, context: one.context }, actor))
        now.push(one);
    // Only pull requests close what they name.
    const actionOf = (action: IssueReference['action']) => (issue.isPull ? action : 'none');
    for (const { target, action } of now) {
      const data = { action: actionOf(action), commentId: comment?.id ?? 0 };
      const key = { issue_id: target.id, once_key: source };
      const there = await database.query(TimelineRow).findOne(key);
      if (there && there.data?.action === data.action) continue;
      if (there) await this.#removeReferences(there);
      await timeline.record({
        issue: target,
        kind,
        actorId: actor.id,
        subjectId: issue.id,
        data,
        at,
        onceKey: source,
      });
    }
    for (const { target } of gone) {
      const there = await database.query(TimelineRow).findOne({ issue_id: target.id, once_key: source });
      if (there) await this.#removeReferences(there);
    }
  }

  /** It does not say that any more; should it say so again, there is another entry. */
  async #removeReferences({ id, data }: TimelineRow): Promise<void> {
    await this.deps.database
      .query(TimelineRow)
      .findById(id)
      .patch({ data: { ...data, action: 'neutered' }, once_key: null });
  }

  /** Those that exist and that the author may read. */
  async #references({ repository, issue, actor }: WrittenText, named: readonly IssueReference[]) {
    const { database, repositories, repositoryAccess } = this.deps;
    const repositoriesById = new Map<string, Repository>([['', repository]]);
    for (const { repository: path = '' } of named) {
      if (repositoriesById.has(path)) continue;
      const [owner = '', name = ''] = path.split('/');
      const mentioned = await repositories.byPath(owner, name);
      if (mentioned) repositoriesById.set(path, mentioned);
    }
    const rights = await repositoryAccess.contexts(actor, [...repositoriesById.values()]);
    const references: { target: Issue; context: RepositoryContext; action: IssueReference['action'] }[] = [];
    for (const [path, mentioned] of repositoriesById) {
      const here = named.filter((one) => (one.repository ?? '') === path);
      if (here.length === 0) continue;
      const rows = await database
        .query(IssueRow)
        .where('repository_id', mentioned.id)
        .whereIn(
          'number',
          here.map(({ index }) => index),
        );
      for (const { index, action } of here) {
        const row = rows.find((one) => one.number === index && one.id !== issue.id);
        const target = row && toIssue(row);
        const context = rights.get(mentioned.id);
        if (target && context?.may('read', unitOf(target))) references.push({ target, context, action });
      }
    }
    return references;
  }
}
