import { Invalid, type Actor, type Database } from '@mortise/plugin-sdk';
import { type Issue, type Label } from '../api.js';
import { scopeOf } from '../contract/labels.js';
import { IssueLabelRow } from '../models/issue-label.js';
import type { IssueService } from './issues.js';
import { addLabels, type LabelService, type NewLabel } from './labels.js';
import type { IssueReader } from './issue-reader.js';
import { t } from '../texts/index.js';

/** Issues that one change of a label may take labels from. */
const maxIssues = 1000;

export type EditLabel = (label: Label, changes: Partial<NewLabel>, actor: Actor) => Promise<Label>;

/**
 * ISS-06: a label that becomes exclusive, or moves into another scope, drives the exclusive ones of the scope out of the
 * issues that have it, as if it were attached now. Invalid where those are more than {@link maxIssues}.
 */
export function labelEditor(deps: {
  readonly database: Database;
  readonly labels: LabelService;
  readonly issues: Pick<IssueService, 'changeLabels'>;
  readonly reader: Pick<IssueReader, 'byIds'>;
}): EditLabel {
  const { database, labels, issues, reader } = deps;
  return (label, changes, actor) =>
    database.write(async () => {
      const edited = await labels.edit(label, changes);
      if (edited.isExclusive === label.isExclusive && edited.name === label.name) return edited;
      const ids = await findConflictingIssues(edited, database);
      if (ids.length > maxIssues) throw Invalid(t.later('error.labelTooMany', { max: maxIssues }));
      for (const issue of (await reader.byIds(ids)).values() as Iterable<Issue>)
        await issues.changeLabels(
          issue,
          (present) =>
            addLabels(
              present.filter(({ id }) => id !== edited.id),
              [edited],
            ),
          actor,
        );
      return edited;
    });
}

/** Issues that have another exclusive label of the label's scope beside it, at most one more than {@link maxIssues}. */
async function findConflictingIssues({ id, name, isExclusive }: Label, database: Database): Promise<number[]> {
  const scope = isExclusive ? scopeOf(name) : '';
  if (!scope) return [];
  const beside = () =>
    database
      .query(IssueLabelRow)
      .join('issue_label as other', 'other.issue_id', 'issue_label.issue_id')
      .where('issue_label.label_id', id)
      .whereNot('other.label_id', id);
  const exclusive = (await beside()
    .join('label', 'label.id', 'other.label_id')
    .where('label.is_exclusive', true)
    .distinct('label.id', 'label.name')) as unknown as { readonly id: number; readonly name: string }[];
  const rivals = exclusive.filter((one) => scopeOf(one.name) === scope).map((one) => one.id);
  if (rivals.length === 0) return [];
  const rows = await beside()
    .whereIn('other.label_id', rivals)
    .distinct('issue_label.issue_id')
    .limit(maxIssues + 1);
  return rows.map((row) => row.issue_id);
}
