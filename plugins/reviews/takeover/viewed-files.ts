import { Problem, skippedRow, targetRow, type TargetRow, type TableMapping } from '@mortise/plugin-sdk';
import { isCorruptObject, type GitReader } from '@mortise/git/api';
import { ViewedFileRow } from '../models/viewed-file.js';
import { markOf, pathHashOf } from '../services/viewed-files.js';

export interface ViewedFileDeps {
  readonly gitReader: GitReader;
}

/** What a file is in `review_state.updated_files` that was looked at and has not changed since. */
const viewed = 2;
/** Files of one account and pull request. */
const maxFiles = 3000;

function viewedPaths(states: unknown): string[] {
  if (typeof states !== 'object' || states === null) return [];
  return Object.entries(states)
    .filter(([, state]) => state === viewed)
    .map(([path]) => path)
    .slice(0, maxFiles);
}

export const viewedFiles = ({ gitReader }: ViewedFileDeps): TableMapping => ({
  id: 'reviews.viewed_files',
  table: 'review_state',
  after: ['pulls.pulls'],
  references: { issue_id: 'issues.issues', user_id: 'accounts.users' },
  related: {
    pull: { table: 'pull_request', column: 'id', localColumn: 'pull_id', columns: ['issue_id', 'base_repo_id'] },
  },
  ignored: ['pull_id', 'updated_unix'],
  async map(row, context) {
    const [pull] = row.related('pull');
    if (!pull) return skippedRow('it has no pull request');
    // git folders come with the pass
    if (context.isDryRun) return [];
    const git = gitReader.open(pull.number('base_repo_id'));
    const rows: TargetRow[] = [];
    try {
      for (const path of viewedPaths(row.json('updated_files'))) {
        const file = await git.entry(row.text('commit_sha'), path);
        if (file)
          rows.push(
            targetRow(ViewedFileRow, {
              issue_id: pull.number('issue_id'),
              user_id: row.number('user_id'),
              path_hash: pathHashOf(path),
              mark: markOf({ path, oid: file.oid, mode: file.mode }),
            }),
          );
      }
    } catch (error) {
      if (!Problem.is(error) && !isCorruptObject(error)) throw error;
      return skippedRow('its commit cannot be read');
    }
    return rows;
  },
});
