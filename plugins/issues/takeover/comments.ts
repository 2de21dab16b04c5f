import { skippedRow, targetRow, type SourceRow, type TableMapping } from '@mortise/plugin-sdk';
import type { Repositories } from '@mortise/repositories/api';
import { ReactionRow } from '../models/reaction.js';
import { TextVersionRow } from '../models/text-version.js';
import { TimelineRow } from '../models/timeline.js';
import { commitPath, entryTypes } from './entry-types.js';

const users = 'accounts.users';
const issues = 'issues.issues';
const maxAuthor = 255;
const maxReaction = 40;

/** Paths that are remembered at most, while comments come. */
const maxPaths = 1000;

interface CommentDeps {
  readonly repositories: Pick<Repositories, 'byPath'>;
}

export function commentTables(deps: CommentDeps): readonly TableMapping[] {
  return [commentTable(deps), textVersions, reactions];
}

function commentTable({ repositories }: CommentDeps): TableMapping {
  const idsByPath = new Map<string, number>();
  /** Of the repository whose commit names the issue: by default its own. */
  async function commitRepository(row: SourceRow, own: number): Promise<number> {
    const path = commitPath(row);
    if (!path) return own;
    const key = `${path.owner}/${path.name}`.toLowerCase();
    let id = idsByPath.get(key);
    if (id === undefined) {
      if (idsByPath.size >= maxPaths) idsByPath.clear();
      // one that is not found by its name has mostly another by now
      id = (await repositories.byPath(path.owner, path.name))?.id ?? 0;
      idsByPath.set(key, id);
    }
    return id || own;
  }

  return {
    id: 'issues.comments',
    table: 'comment',
    idTable: TimelineRow,
    version: 2,
    references: { issue_id: issues, actor_id: { to: users, fallback: 0 } },
    related: {
      issue: { table: 'issue', column: 'id', localColumn: 'issue_id', columns: ['repo_id'] },
      project: { table: 'project', column: 'id', localColumn: 'project_id', columns: ['title'] },
      oldProject: { table: 'project', column: 'id', localColumn: 'old_project_id', columns: ['title'] },
    },
    ignored: [
      'project_id',
      'old_project_id',
      'ref_repo_id',
      'ref_is_pull',
      'commit_id',
      'line',
      'patch',
      'tree_path',
      'invalidated',
      'resolve_doer_id',
      'content_version',
    ],
    async map(row) {
      const type = entryTypes[row.number('type')];
      if (!type) return skippedRow(`comments of type ${row.number('type')} have no counterpart`);
      const repositoryId = row.related('issue')[0]?.number('repo_id') ?? 0;
      const commitRepositoryId = type.kind === 'commit_ref' ? await commitRepository(row, repositoryId) : 0;
      return targetRow(TimelineRow, {
        id: row.number('id'),
        issue_id: row.number('issue_id'),
        repository_id: repositoryId,
        kind: type.kind,
        actor_id: row.number('poster_id'),
        original_author: row.text('original_author', maxAuthor),
        original_author_id: row.number('original_author_id'),
        body: (type.body ?? contentOf)(row),
        subject_id: type.subject?.(row) ?? commitRepositoryId,
        data:
          type.kind === 'commit_ref'
            ? { sha: row.text('commit_sha'), repositoryId: commitRepositoryId }
            : (type.data?.(row) ?? null),
        once_key: type.onceKey?.(row) ?? null,
        created_at: row.time('created_unix'),
        updated_at: row.time('updated_unix') || row.time('created_unix'),
      });
    },
  };
}

const contentOf = (row: SourceRow): string => row.text('content');

/** What texts of issues and comments were before they were edited. */
const textVersions: TableMapping = {
  id: 'issues.text_versions',
  table: 'issue_content_history',
  idTable: TextVersionRow,
  references: { issue_id: issues, entry_id: 'issues.comments', editor_id: { to: users, fallback: 0 } },
  ignored: ['is_first_created'],
  map(row) {
    if (row.flag('is_deleted')) return skippedRow('its text was deleted there');
    return targetRow(TextVersionRow, {
      id: row.number('id'),
      issue_id: row.number('issue_id'),
      entry_id: row.number('comment_id') || null,
      editor_id: row.number('poster_id'),
      body: row.text('content_text'),
      created_at: row.time('edited_unix'),
    });
  },
};

const reactions: TableMapping = {
  id: 'issues.reactions',
  table: 'reaction',
  idTable: ReactionRow,
  // those that were imported there are of nobody's account
  references: { issue_id: issues, user_id: { to: users, fallback: 0 } },
  related: { comment: { table: 'comment', column: 'id', localColumn: 'comment_id', columns: [] } },
  ignored: ['original_author_id'],
  map(row) {
    if (row.number('comment_id') && row.related('comment').length === 0) return skippedRow('its comment is gone');
    return targetRow(ReactionRow, {
      id: row.number('id'),
      issue_id: row.number('issue_id'),
      entry_id: row.number('comment_id'),
      user_id: row.number('user_id'),
      original_author: row.text('original_author', maxAuthor),
      content: row.text('type', maxReaction),
      created_at: row.time('created_unix'),
    });
  },
};
