import type { Actor, Database } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { Repositories, Repository, RepositoryAccess } from '@mortise/repositories/api';
import { unitOf, type Issue, type TimelineEntry } from '../api.js';
import { IssueRow, toIssue } from '../models/issue.js';
import { MentionRow } from '../models/people.js';
import { TextVersionRow, TimelineRow } from '../models/timeline.js';
import { namedIn, type NamedIssue } from './mentions.js';
import type { TimelineService } from './timeline.js';

/** A text that was written: of an issue, or of one of its comments. */
export interface WrittenText {
  readonly repository: Repository;
  readonly issue: Issue;
  /** Undefined: the text of the issue itself. */
  readonly comment?: TimelineEntry;
  readonly before: string;
  readonly text: string;
  /** Who wrote it, with what the credential reaches. */
  readonly actor: Actor;
  readonly at: number;
}

/** Follows what texts name: people are mentioned, issues get an entry in their timeline. */
export class TextFollower {
  constructor(
    private readonly parts: {
      readonly database: Database;
      readonly accounts: Accounts;
      readonly repositories: Repositories;
      readonly repositoryAccess: RepositoryAccess;
      readonly timeline: TimelineService;
    },
  ) {}

  /** In the transaction that stores the text. */
  async follow(written: WrittenText): Promise<void> {
    const named = namedIn(written.text);
    if (named.people.length) await this.#mention(written, named.people);
    const before = namedIn(written.before);
    if (named.issues.length + before.issues.length) await this.#refer(written, before.issues, named.issues);
  }

  /** A comment goes, and with it the entries that tell of what it named. */
  async forget({ id, issueId }: TimelineEntry): Promise<void> {
    const { database } = this.parts;
    const key = { kind: 'comment_ref', subject_id: issueId, once_key: `comment:${id}` };
    await database.query(TimelineRow).delete().where(key);
  }

  /** Keeps the text as it was, and the first time also the one before. */
  async keepVersion({ issue, comment, before, text, actor, at }: WrittenText): Promise<void> {
    const { database } = this.parts;
    const key = { issue_id: issue.id, entry_id: comment?.id ?? null };
    const of = comment ? comment.actorId : issue.posterId;
    const first = comment ? comment.createdAt : issue.createdAt;
    const known = await database.query(TextVersionRow).where(key).resultSize();
    if (!known) await database.query(TextVersionRow).insert({ ...key, editor_id: of, body: before, created_at: first });
    await database.query(TextVersionRow).insert({ ...key, editor_id: actor.id, body: text, created_at: at });
  }

  /** Only those who may read it; each once. */
  async #mention({ repository, issue, actor }: WrittenText, names: readonly string[]): Promise<void> {
    const { database, accounts, repositoryAccess } = this.parts;
    const known = [...(await accounts.byNames(names)).values()].filter(({ kind }) => kind === 'user');
    for (const account of known) {
      const rights = (await repositoryAccess.rightsOf(account, [repository])).get(repository.id);
      if (!rights?.may('read', unitOf(issue)) || (await accounts.blocks(account.id, actor.id))) continue;
      const key = { issue_id: issue.id, user_id: account.id };
      if (!(await database.query(MentionRow).findOne(key))) await database.query(MentionRow).insert(key);
    }
  }

  async #refer(written: WrittenText, before: readonly NamedIssue[], named: readonly NamedIssue[]): Promise<void> {
    const { database, timeline } = this.parts;
    const { issue, comment, actor, at } = written;
    const kind = comment ? 'comment_ref' : issue.isPull ? 'pull_ref' : 'issue_ref';
    const source = comment ? `comment:${comment.id}` : `issue:${issue.id}`;
    const now = await this.#found(written, named);
    const gone = (await this.#found(written, before)).filter(
      ({ target }) => !now.some((one) => one.target.id === target.id),
    );
    // Only pull requests close what they name.
    const actionOf = (action: NamedIssue['action']) => (issue.isPull ? action : 'none');
    for (const { target, action } of now) {
      const data = { action: actionOf(action), commentId: comment?.id ?? 0 };
      const key = { issue_id: target.id, once_key: source };
      const there = await database.query(TimelineRow).findOne(key);
      if (there) await database.query(TimelineRow).findById(there.id).patch({ data });
      else
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
      const data = { action: 'neutered', commentId: comment?.id ?? 0 };
      await database.query(TimelineRow).where({ issue_id: target.id, once_key: source }).patch({ data });
    }
  }

  /** Those that exist and that the author may read; not those of people who block the author. */
  async #found({ repository, issue, actor }: WrittenText, named: readonly NamedIssue[]) {
    const { database, accounts, repositories, repositoryAccess } = this.parts;
    const homes = new Map<string, Repository>([['', repository]]);
    for (const { repository: path = '' } of named) {
      if (homes.has(path)) continue;
      const [owner = '', name = ''] = path.split('/');
      const home = await repositories.byPath(owner, name);
      if (home && !(await accounts.blocks(home.ownerId, actor.id))) homes.set(path, home);
    }
    const rights = await repositoryAccess.contexts(actor, [...homes.values()]);
    const found: { target: Issue; action: NamedIssue['action'] }[] = [];
    for (const [path, home] of homes) {
      const here = named.filter((one) => (one.repository ?? '') === path);
      if (here.length === 0) continue;
      const rows = await database
        .query(IssueRow)
        .where('repository_id', home.id)
        .whereIn(
          'number',
          here.map(({ index }) => index),
        );
      for (const { index, action } of here) {
        const row = rows.find((one) => one.number === index && one.id !== issue.id);
        const target = row && toIssue(row);
        if (target && rights.get(home.id)?.may('read', unitOf(target))) found.push({ target, action });
      }
    }
    return found;
  }
}
