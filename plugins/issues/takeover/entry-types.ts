import { cutToLength, type SourceRow } from '@mortise/plugin-sdk';
import { durationText } from '../contract/duration.js';

type Data = Readonly<Record<string, unknown>>;

/** What a comment of some type there is in the timeline here. */
interface EntryType {
  readonly kind: string;
  /** Number of what it is about. */
  subject?(row: SourceRow): number;
  data?(row: SourceRow): Data;
  /** Default: its content as it is. */
  body?(row: SourceRow): string;
  onceKey?(row: SourceRow): string | null;
}

const refActions = ['none', 'closes', 'reopens', 'neutered'] as const;
const refActionOf = (row: SourceRow) => refActions[row.number('ref_action')] ?? 'none';

/** An issue or comment elsewhere that names this one; while it does, it has one entry. */
const reference = (kind: string): EntryType => ({
  kind,
  subject: (row) => row.number('ref_issue_id'),
  data: (row) => ({ action: refActionOf(row), commentId: row.number('ref_comment_id') }),
  onceKey(row) {
    if (refActionOf(row) === 'neutered' || !row.number('ref_issue_id')) return null;
    const comment = row.number('ref_comment_id');
    return comment ? `comment:${comment}` : `issue:${row.number('ref_issue_id')}`;
  },
});

/** Seconds behind a bar, or in older versions the words themselves. */
const durationBody = (row: SourceRow): string => {
  const [, seconds] = /^\|(\d+)$/.exec(row.text('content')) ?? [];
  return seconds === undefined ? row.text('content') : durationText(Number(seconds));
};
const time = (kind: string): EntryType => ({ kind, subject: (row) => row.number('time_id'), body: durationBody });

const dependency = (kind: string): EntryType => ({ kind, subject: (row) => row.number('dependent_issue_id') });

const refs = (row: SourceRow) => ({ oldRef: row.text('old_ref'), newRef: row.text('new_ref') });

/** Of what is longer, the rest is passed over. */
const maxLink = 4096;

/** A link to the commit with its subject, in HTML. */
const commitSubject = (row: SourceRow): string =>
  cutToLength(
    row
      .text('content', maxLink)
      .replaceAll(/<[^>]*>/g, '')
      .replaceAll(/&(?:lt|gt|quot|#34|#39|amp);/g, (entity) => entities[entity] ?? entity)
      .trim(),
    255,
  );
const entities: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#34;': '"',
  '&#39;': "'",
  '&amp;': '&',
};

/** The repository that the link leads to; undefined where there is none. */
export const commitPath = (row: SourceRow): { readonly owner: string; readonly name: string } | undefined => {
  const [, link = ''] = /href="([^"]*)"/.exec(row.text('content', maxLink)) ?? [];
  const [owner, name, word] = link.split('/').slice(-4);
  return owner && name && word === 'commit' ? { owner, name } : undefined;
};

const titleOf = (row: SourceRow | undefined): string => row?.text('title') ?? '';

/** Names that the entry has itself in later versions, or else those of the board that there is. */
function projectData(row: SourceRow): Data {
  const meta = (row.json('comment_meta_data') ?? {}) as Data;
  const text = (key: string) => (typeof meta[key] === 'string' ? meta[key] : '');
  const [project] = row.related('project');
  const [oldProject] = row.related('oldProject');
  const columnId = Number(meta.project_column_id ?? 0);
  return {
    projectId: row.number('project_id'),
    oldProjectId: row.number('old_project_id'),
    title: text('project_title') || titleOf(project) || titleOf(oldProject),
    ...(columnId > 0 && { columnId, column: text('project_column_title') }),
  };
}

/** By what `comment.type` is there. */
export const entryTypes: Readonly<Record<number, EntryType>> = {
  0: { kind: 'comment' },
  1: { kind: 'reopen' },
  2: { kind: 'close' },
  3: reference('issue_ref'),
  4: {
    kind: 'commit_ref',
    body: commitSubject,
    onceKey: (row) => (row.text('commit_sha') ? `commit:${row.text('commit_sha')}` : null),
  },
  5: reference('comment_ref'),
  6: reference('pull_ref'),
  7: { kind: 'label', subject: (row) => row.number('label_id') },
  8: {
    kind: 'milestone',
    subject: (row) => row.number('milestone_id'),
    data: (row) => ({ oldId: row.number('old_milestone_id') }),
  },
  9: {
    kind: 'assignees',
    // of the one that there was before there were several, one is given and the other gone
    subject: (row) => row.number('assignee_id') || row.number('old_assignee_id'),
    data: (row) => ({ removed: row.flag('removed_assignee') || row.number('assignee_id') === 0 }),
  },
  10: {
    kind: 'change_title',
    data: (row) => ({ oldTitle: row.text('old_title'), newTitle: row.text('new_title') }),
  },
  // its name stood in another column at first
  11: { kind: 'delete_branch', data: (row) => ({ oldRef: row.text('old_ref') || row.text('commit_sha') }) },
  12: { kind: 'start_tracking' },
  13: time('stop_tracking'),
  14: time('add_time_manual'),
  15: { kind: 'cancel_tracking' },
  16: { kind: 'added_deadline' },
  17: { kind: 'modified_deadline' },
  18: { kind: 'removed_deadline' },
  19: dependency('add_dependency'),
  20: dependency('remove_dependency'),
  // its text stands with the comment on the line, which the plugin `reviews` has
  21: { kind: 'code', subject: (row) => row.number('review_id'), body: () => '' },
  22: { kind: 'review', subject: (row) => row.number('review_id') },
  23: { kind: 'lock' },
  24: { kind: 'unlock' },
  25: { kind: 'change_target_branch', data: refs },
  26: time('delete_time_manual'),
  27: {
    kind: 'review_request',
    subject: (row) => row.number('assignee_id'),
    data: (row) => ({
      teamId: row.number('assignee_team_id'),
      ...(row.flag('removed_assignee') && { removed: true }),
    }),
  },
  28: { kind: 'merge_pull' },
  29: { kind: 'pull_push' },
  30: { kind: 'project', subject: (row) => row.number('project_id'), data: projectData },
  31: { kind: 'project_board', subject: (row) => row.number('project_id'), data: projectData },
  32: { kind: 'dismiss_review', subject: (row) => row.number('review_id') },
  33: { kind: 'change_issue_ref', data: refs },
  34: { kind: 'pull_scheduled_merge' },
  35: { kind: 'pull_cancel_scheduled_merge' },
  36: { kind: 'pin' },
  37: { kind: 'unpin' },
  38: { kind: 'change_time_estimate' },
};
