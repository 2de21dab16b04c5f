import { skippedRow, targetRow, type SourceRow, type TableMapping } from '@mortise/plugin-sdk';
import { DeletedBranchRow } from '../models/deleted-branch.js';
import { RenamedBranchRow } from '../models/renamed-branch.js';

const maxName = 255;

function deletedBranch(row: SourceRow, oid: string) {
  const name = row.text('name');
  if (name.length > maxName) return skippedRow('its name is too long');
  return targetRow(DeletedBranchRow, {
    id: row.number('id'),
    repository_id: row.number('repo_id'),
    name,
    oid,
    deleted_by: row.number('deleted_by_id'),
    deleted_at: row.time('deleted_unix'),
  });
}

/** Branches that can be restored; of others git alone knows here. */
const deletedBranches: TableMapping = {
  id: 'refs.deleted_branches',
  table: 'branch',
  idTable: DeletedBranchRow,
  references: { repository_id: 'repositories.repositories', deleted_by: { to: 'accounts.users', fallback: 0 } },
  filter: (row) => row.flag('is_deleted'),
  ignored: ['is_deleted', 'commit_message', 'pusher_id', 'commit_time', 'created_unix', 'updated_unix'],
  map: (row) => deletedBranch(row, row.text('commit_id')),
};

/** Before branches had a table of their own. */
const earlierDeletedBranches: TableMapping = {
  id: 'refs.earlier_deleted_branches',
  table: 'deleted_branch',
  idTable: DeletedBranchRow,
  references: deletedBranches.references,
  map: (row) => deletedBranch(row, row.text('commit')),
};

/** Names that branches had before. */
const renamedBranches: TableMapping = {
  id: 'refs.renamed_branches',
  table: 'renamed_branch',
  idTable: RenamedBranchRow,
  references: { repository_id: 'repositories.repositories' },
  map(row) {
    const [name, newName] = [row.text('from'), row.text('to')];
    if (name.length > maxName || newName.length > maxName) return skippedRow('its name is too long');
    return targetRow(RenamedBranchRow, {
      id: row.number('id'),
      repository_id: row.number('repo_id'),
      name,
      new_name: newName,
      renamed_at: row.time('created_unix'),
    });
  },
};

export const tables: readonly TableMapping[] = [deletedBranches, earlierDeletedBranches, renamedBranches];
