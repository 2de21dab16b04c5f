import type { VNode } from 'preact';
import { formText, toId, type FormValues } from '@mortise/plugin-sdk';
import type { Repository } from '@mortise/repositories/api';
import type { Label, Milestone } from '../api.js';
import type { MetadataInput } from '../contract/pages.js';
import { formFields } from '../fields/values.js';
import { LabelChip, type ListContext, type PageDeps } from './page-context.js';
import { t } from '../texts/index.js';

/** What something new can be sorted by, and what is chosen. */
export interface Metadata {
  readonly labels: readonly Label[];
  readonly chosenLabels: readonly number[];
  readonly milestones: readonly Milestone[];
  readonly milestone: number;
  readonly users: readonly string[];
  /** In lower case. */
  readonly assigned: readonly string[];
  /** As the controls of the fields have it, by their keys. */
  readonly values: Readonly<Record<string, string>>;
}

/** Longer than any value that a control sends. */
const maxInput = 100;

/** What is chosen before anybody sends the form; names in lower case. */
interface Preselected {
  /** Names or ids. */
  readonly labels: readonly string[];
  readonly assignees: readonly string[];
  readonly milestone: number;
}

export const several = (values: FormValues, name: string): readonly string[] => [values[name] ?? []].flat();

/** For those who may write. */
export async function metadataOf(
  { issueServices, accounts }: Pick<PageDeps, 'issueServices' | 'accounts'>,
  repository: Repository,
  sent: FormValues | undefined,
  beforehand: Preselected = { labels: [], assignees: [], milestone: 0 },
): Promise<Metadata> {
  const [labels, milestones, writers] = await Promise.all([
    issueServices.labels.offered(repository),
    issueServices.milestones.offered(repository.id),
    issueServices.deps.repositoryMembers.writers(repository),
  ]);
  const users = writers.length ? [...(await accounts.byIds(writers)).values()] : [];
  const wanted = sent && several(sent, 'labels');
  const isChosen = ({ id, name }: Label) =>
    wanted
      ? wanted.includes(String(id))
      : beforehand.labels.includes(name.toLowerCase()) || beforehand.labels.includes(String(id));
  return {
    labels,
    chosenLabels: labels.filter(isChosen).map(({ id }) => id),
    milestones,
    milestone: sent ? toId(several(sent, 'milestone')[0]) : beforehand.milestone,
    users: users.map(({ name }) => name),
    assigned: sent ? several(sent, 'assignees').map((one) => one.toLowerCase()) : beforehand.assignees,
    values: Object.fromEntries(formFields.map(({ form: { key } }) => [key, sent ? formText(sent, key, maxInput) : ''])),
  };
}

/** What was chosen in {@link MetadataFields}. Invalid for what is no date. */
export function metadataInput(values: FormValues): MetadataInput {
  const chosen = (name: string) => several(values, name).slice(0, 100);
  return {
    labelIds: chosen('labels').map(toId).filter(Boolean),
    milestoneId: toId(formText(values, 'milestone')),
    assignees: chosen('assignees').map((name) => name.slice(0, 255)),
    ...Object.fromEntries(formFields.map(({ name, form }) => [name, form.read(values)])),
  };
}

/** Beside the form for something new. */
export const MetadataFields = ({
  emojify,
  labels,
  chosenLabels,
  milestones,
  milestone,
  users,
  assigned,
  values,
}: Metadata & Pick<PageDeps, 'emojify'>): VNode => (
  <aside class="issue-sidebar" aria-label={t('side.title')}>
    <fieldset class="issue-side border-0 min-width-0">
      <legend class="f6 color-fg-muted text-bold">{t('labels.title')}</legend>
      <div class="issue-choices">
        {labels.map((label) => (
          <label class="d-block text-normal" key={label.id}>
            <input type="checkbox" name="labels" value={label.id} checked={chosenLabels.includes(label.id)} />{' '}
            <LabelChip label={label} emojify={emojify} />
          </label>
        ))}
        {labels.length ? null : <p class="f6 color-fg-muted mb-0">{t('labels.none')}</p>}
      </div>
    </fieldset>
    <div class="issue-side">
      <label class="d-block f6 color-fg-muted text-bold mb-1" for="new-milestone">
        {t('milestones.one')}
      </label>
      <select class="form-select width-full" id="new-milestone" name="milestone">
        <option value="0">{t('milestones.without')}</option>
        {milestones.map(({ id, title }) => (
          <option value={id} selected={id === milestone}>
            {title}
          </option>
        ))}
      </select>
    </div>
    <fieldset class="issue-side border-0 min-width-0">
      <legend class="f6 color-fg-muted text-bold">{t('assignees.title')}</legend>
      <div class="issue-choices">
        {users.map((name) => (
          <label class="d-block text-normal" key={name}>
            <input type="checkbox" name="assignees" value={name} checked={assigned.includes(name.toLowerCase())} />{' '}
            {name}
          </label>
        ))}
      </div>
    </fieldset>
    {formFields.map(({ form: { key, title, Input } }) => (
      <div class="issue-side" key={key}>
        <label class="d-block f6 color-fg-muted text-bold mb-1" for={`new-${key}`}>
          {title()}
        </label>
        <Input id={`new-${key}`} value={values[key] ?? ''} />
      </div>
    ))}
  </aside>
);

/** The same for pages of other plugins; null for who may not sort it. */
export async function metadataFieldsOf(
  deps: PageDeps,
  { resource }: Pick<ListContext, 'resource'>,
  unit: 'issues' | 'pulls',
  sent: FormValues | undefined,
): Promise<VNode | null> {
  if (!resource.may('write', unit)) return null;
  return <MetadataFields {...await metadataOf(deps, resource.repository, sent)} emojify={deps.emojify} />;
}
