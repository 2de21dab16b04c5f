import type { VNode } from 'preact';
import { IslandTexts, Csrf, formText, Invalid, toId, type FormValues } from '@mortise/plugin-sdk';
import type { Issue, Label, Milestone } from '../api.js';
import type { IssueChanges } from '../contract/issues.js';
import { addLabels } from '../services/labels.js';
import type { PageDeps, ListContext } from './page-context.js';
import { t } from '../texts/index.js';

/** Checkboxes of rows belong to the form of this id. */
export const bulkForm = 'issues-bulk';
const maxChosen = 100;

interface BulkProps {
  readonly action: string;
  readonly isPull: boolean;
  /** Of the list, to come back to it. */
  readonly query: string;
  readonly labels: readonly Label[];
  readonly milestones: readonly Milestone[];
}

/** Below a list: changes all that were chosen. */
export function BulkForm({ action, isPull, query, labels, milestones }: BulkProps): VNode {
  const button = (name: string, words: string) => (
    <button class="btn btn-sm" type="submit" name="action" value={name}>
      {words}
    </button>
  );
  const usable = labels.filter((label) => !label.isArchived);
  return (
    <form method="post" action={action} id={bulkForm} class="Box p-3 mt-3 d-flex flex-wrap gap-2 issue-bulk">
      <Csrf />
      <IslandTexts name="issues" texts={{ chooseAll: t('bulk.chooseAll') }} />
      <input type="hidden" name="type" value={isPull ? 'pulls' : 'issues'} />
      <input type="hidden" name="query" value={query} />
      <h3 class="f5 width-full mb-0">{t('bulk.title')}</h3>
      {button('close', t('bulk.close'))}
      {button('reopen', t('bulk.reopen'))}
      {usable.length ? (
        <span class="d-flex flex-wrap gap-1">
          <select class="form-select select-sm" name="label" aria-label={t('bulk.label')}>
            {usable.map(({ id, name }) => (
              <option value={id}>{name}</option>
            ))}
          </select>
          {button('label', t('bulk.addLabel'))}
          {button('unlabel', t('bulk.removeLabel'))}
        </span>
      ) : null}
      <span class="d-flex flex-wrap gap-1">
        <select class="form-select select-sm" name="milestone" aria-label={t('bulk.milestone')}>
          <option value="0">{t('milestones.without')}</option>
          {milestones.map(({ id, title }) => (
            <option value={id}>{title}</option>
          ))}
        </select>
        {button('milestone', t('bulk.setMilestone'))}
      </span>
      <span class="d-flex flex-wrap gap-1">
        <input
          class="form-control input-sm"
          name="assignee"
          placeholder={t('bulk.assigneeNote')}
          aria-label={t('bulk.assignee')}
          autocomplete="off"
          data-suggest="user"
        />
        {button('assign', t('bulk.assign'))}
      </span>
    </form>
  );
}

/** All or none; Invalid for what cannot be done to one of them. Gives how many were changed. */
export async function updateIssues(
  { issueServices }: PageDeps,
  { resource: { repository }, actor }: ListContext,
  values: FormValues,
  isPull: boolean,
): Promise<number> {
  const { reader, issues, labels, deps } = issueServices;
  const ids = [values.ids ?? []].flat().map(toId).filter(Boolean);
  if (ids.length === 0) throw Invalid(t.later('bulk.none'));
  if (ids.length > maxChosen) throw Invalid(t.later('bulk.tooMany', { limit: maxChosen }));
  const found = [...(await reader.byIds(ids)).values()].filter(
    (issue) => issue.repositoryId === repository.id && issue.isPull === isPull,
  );
  const action = formText(values, 'action');
  const edit = (changes: IssueChanges) => (issue: Issue) => issues.edit(repository, issue, changes, actor);
  let change: (issue: Issue) => Promise<unknown>;
  if (action === 'close' || action === 'reopen') change = edit({ isClosed: action === 'close' });
  else if (action === 'milestone') change = edit({ milestoneId: toId(formText(values, 'milestone')) });
  else if (action === 'assign') {
    const name = formText(values, 'assignee', 255);
    change = edit({ assignees: name ? [name] : [] });
  } else if (action === 'label' || action === 'unlabel') {
    const [label] = await labels.usableIn(repository, { ids: [toId(formText(values, 'label'))] });
    if (!label) throw Invalid(t.later('bulk.noLabel'));
    const next = (present: readonly Label[]) =>
      action === 'label' ? addLabels(present, [label]) : present.filter(({ id }) => id !== label.id);
    change = (issue) => issues.changeLabels(issue, next, actor);
  } else throw Invalid(t.later('bulk.noAction'));
  await deps.database.write(async () => {
    await deps.repositories.hold(repository.id);
    for (const issue of found) await change(issue);
  });
  return found.length;
}
