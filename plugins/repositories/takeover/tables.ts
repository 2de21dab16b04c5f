import { skippedRow, targetRow, type SourceRow, type TableMapping } from '@mortise/plugin-sdk';
import { readKeyLine } from '@mortise/accounts/api';
import type { AccessMode } from '../api.js';
import { CollaboratorRow } from '../models/collaborator.js';
import { DeployKeyRow } from '../models/deploy-key.js';
import { RedirectRow } from '../models/redirect.js';
import { RepositoryTopicRow } from '../models/repository-topic.js';
import { TopicRow } from '../models/topic.js';
import { TransferRow } from '../models/transfer.js';
import { repositoryTable, type RepositoryTakeoverDeps } from './repositories.js';

const users = 'accounts.users';
const repositories = 'repositories.repositories';

/** Collaborators and deploy keys count their rights as everybody does there: 1 reads, 2 writes, 3 administers. */
const modeOf = (row: SourceRow): AccessMode =>
  (['none', 'read', 'write', 'admin'] as const)[Math.min(3, row.number('mode'))] ?? 'none';

const collaborators: TableMapping = {
  id: 'repositories.collaborators',
  table: 'collaboration',
  idTable: CollaboratorRow,
  version: 2,
  references: { repository_id: repositories, user_id: users },
  ignored: ['created_unix', 'updated_unix'],
  map: (row) =>
    targetRow(CollaboratorRow, {
      id: row.number('id'),
      repository_id: row.number('repo_id'),
      user_id: row.number('user_id'),
      mode: modeOf(row),
    }),
};

const redirects: TableMapping = {
  id: 'repositories.redirects',
  table: 'repo_redirect',
  idTable: RedirectRow,
  references: { repository_id: repositories, owner_id: users },
  map: (row) =>
    targetRow(RedirectRow, {
      id: row.number('id'),
      owner_id: row.number('owner_id'),
      lower_name: row.text('lower_name'),
      repository_id: row.number('redirect_repo_id'),
    }),
};

const topics: TableMapping = {
  id: 'repositories.topics',
  table: 'topic',
  idTable: TopicRow,
  map: (row) =>
    targetRow(TopicRow, {
      id: row.number('id'),
      name: row.text('name'),
      repository_count: row.number('repo_count'),
      created_at: row.time('created_unix'),
      updated_at: row.time('updated_unix'),
    }),
};

const repositoryTopics: TableMapping = {
  id: 'repositories.repository_topics',
  table: 'repo_topic',
  key: ['repo_id', 'topic_id'],
  references: { repository_id: repositories, topic_id: 'repositories.topics' },
  map: (row) =>
    targetRow(RepositoryTopicRow, { repository_id: row.number('repo_id'), topic_id: row.number('topic_id') }),
};

/** The key itself lies among those of users there. */
const deployKeys: TableMapping = {
  id: 'repositories.deploy_keys',
  table: 'deploy_key',
  idTable: DeployKeyRow,
  version: 2,
  references: { repository_id: repositories },
  ignored: ['fingerprint'],
  related: { key: { table: 'public_key', column: 'id', localColumn: 'key_id' } },
  map(row) {
    const key = readKeyLine(row.related('key')[0]?.text('content') ?? '');
    if (!key) return skippedRow('its key is missing, or is none');
    const isUsed = row.time('updated_unix') > row.time('created_unix');
    return targetRow(DeployKeyRow, {
      id: row.number('id'),
      repository_id: row.number('repo_id'),
      title: row.text('name'),
      content: key.content,
      fingerprint: key.fingerprint,
      read_only: row.number('mode') < 2,
      created_at: row.time('created_unix'),
      last_used_at: isUsed ? row.time('updated_unix') : 0,
    });
  },
};

const transfers: TableMapping = {
  id: 'repositories.transfers',
  table: 'repo_transfer',
  idTable: TransferRow,
  references: { repository_id: repositories, doer_id: users, recipient_id: users },
  ignored: ['updated_unix'],
  map(row) {
    const teams = row.json(row.has('team_ids') ? 'team_ids' : 'team_i_ds');
    return targetRow(TransferRow, {
      id: row.number('id'),
      repository_id: row.number('repo_id'),
      doer_id: row.number('doer_id'),
      recipient_id: row.number('recipient_id'),
      team_ids: Array.isArray(teams) ? teams.filter((one) => Number.isSafeInteger(one)) : null,
      created_at: row.time('created_unix'),
    });
  },
};

export const tables = (deps: RepositoryTakeoverDeps): readonly TableMapping[] => [
  repositoryTable(deps),
  collaborators,
  redirects,
  topics,
  repositoryTopics,
  deployKeys,
  transfers,
];
