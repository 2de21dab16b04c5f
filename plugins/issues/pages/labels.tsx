import type { ComponentChildren, VNode } from 'preact';
import {
  Blankslate,
  CheckField,
  Csrf,
  defineRoute,
  pageRoute,
  formRoute,
  formText,
  icon,
  isChecked,
  NotFound,
  PostButton,
  reply,
  TextField,
  toId,
  type Access,
  type Flash,
  type FormValues,
  type Route,
  type RouteContext,
  type WebPage,
} from '@mortise/plugin-sdk';
import { mustBeActive, repositoryPageContext, repositoryResource, type Repository } from '@mortise/repositories/api';
import type { Label } from '../api.js';
import { IssueRow } from '../models/issue.js';
import { IssueLabelRow } from '../models/issue-label.js';
import type { LabelOwner } from '../services/labels.js';
import type { IssueServices } from '../services/services.js';
import { labelTemplates } from '../templates/labels.js';
import { repositoryPathOf, LabelChip, type ListContext, type PageDeps } from './page-context.js';
import { t } from '../texts/index.js';

interface LabelsProps {
  readonly labels: readonly Label[];
  /** Open issues and pull requests by label; absent: not counted. */
  readonly counts?: ReadonlyMap<number, number>;
  /** Address of the list of one label. */
  readonly listHref?: (label: Label) => string;
  readonly action: string;
  readonly mayWrite: boolean;
  readonly emojify: (text: string) => string;
  /** What the form that was refused held: of a new label, or of one. */
  readonly sent?: { readonly values: FormValues; readonly id: number };
  readonly level: 2 | 3;
}

/** Labels of one owner with forms that change them. */
export function Labels(props: LabelsProps): VNode {
  const { labels, action, mayWrite, sent } = props;
  return (
    <div>
      {mayWrite ? (
        <details class="Box p-3 mb-3" open={sent?.id === 0}>
          <summary class="text-bold">{t('labels.new')}</summary>
          <LabelForm action={`${action}/new`} id="new" sent={sent?.id === 0 ? sent.values : undefined} />
        </details>
      ) : null}
      {labels.length === 0 ? (
        <>
          <Blankslate icon="tag" level={props.level} title={t('labels.none')} />
          {mayWrite ? <Sets action={action} /> : null}
        </>
      ) : (
        <ul class="Box list-style-none">
          {labels.map((label) => (
            <LabelRow {...props} label={label} />
          ))}
        </ul>
      )}
    </div>
  );
}

const Sets = ({ action }: { action: string }): VNode => (
  <form method="post" action={`${action}/initialize`} class="d-flex flex-wrap gap-2 flex-items-center">
    <Csrf />
    <label for="label-set">{t('labels.set')}</label>
    <select class="form-select" id="label-set" name="set">
      {[...labelTemplates.keys()].map((name) => (
        <option value={name}>{name}</option>
      ))}
    </select>
    <button class="btn" type="submit">
      {t('labels.useSet')}
    </button>
  </form>
);

function LabelRow({ label, counts, listHref, action, mayWrite, emojify, sent }: LabelsProps & { label: Label }): VNode {
  const count = counts?.get(label.id) ?? 0;
  return (
    <li class="Box-row">
      <div class="d-flex flex-wrap flex-items-center gap-2">
        <span class="issue-label-name">
          <LabelChip label={label} href={listHref?.(label)} emojify={emojify} />
        </span>
        <span class="flex-auto color-fg-muted wb-break-word">
          {emojify(label.description)}
          {label.isExclusive ? <span class="Label Label--secondary ml-1">{t('labels.exclusive')}</span> : null}
          {label.isArchived ? <span class="Label Label--attention ml-1">{t('labels.archived')}</span> : null}
        </span>
        {counts ? <span class="f6 color-fg-muted">{t('labels.count', { count })}</span> : null}
        {mayWrite ? (
          <PostButton
            action={`${action}/${label.id}/delete`}
            danger
            label={t('labels.deleteOf', { name: label.name })}
            confirm={t('labels.deleteConfirm', { name: label.name })}
          >
            {icon('trash')}
          </PostButton>
        ) : null}
      </div>
      {mayWrite ? (
        <details class="mt-1" open={sent?.id === label.id}>
          <summary class="f6 Link--muted">{t('labels.edit', { name: label.name })}</summary>
          <LabelForm
            action={`${action}/${label.id}`}
            id={String(label.id)}
            label={label}
            sent={sent?.id === label.id ? sent.values : undefined}
          />
        </details>
      ) : null}
    </li>
  );
}

interface LabelFormProps {
  readonly action: string;
  readonly id: string;
  readonly label?: Label;
  readonly sent: FormValues | undefined;
}
function LabelForm({ action, id, label, sent }: LabelFormProps): VNode {
  const value = (name: string, otherwise: string) => (sent ? formText(sent, name) : otherwise);
  const on = (name: string, otherwise: boolean) => (sent ? isChecked(sent, name) : otherwise);
  return (
    <form method="post" action={action} class="mt-3 issue-label-form">
      <Csrf />
      <TextField
        name="name"
        id={`name-${id}`}
        input="name"
        label={t('labels.name')}
        required
        maxLength={50}
        value={value('name', label?.name ?? '')}
      />
      <TextField
        name="description"
        id={`description-${id}`}
        label={t('labels.description')}
        maxLength={200}
        value={value('description', label?.description ?? '')}
      />
      <label class="d-block mb-2">
        <span class="d-block text-bold">{t('labels.color')}</span>
        <input type="color" name="color" value={value('color', `#${label?.color ?? '0e8a16'}`)} />
      </label>
      <CheckField
        name="exclusive"
        id={`exclusive-${id}`}
        value="on"
        label={t('labels.isExclusive')}
        note={t('labels.exclusiveNote')}
        checked={on('exclusive', label?.isExclusive ?? false)}
      />
      {label ? (
        <CheckField
          name="archived"
          id={`archived-${id}`}
          value="on"
          label={t('labels.isArchived')}
          note={t('labels.archivedNote')}
          checked={on('archived', label.isArchived)}
        />
      ) : null}
      <button class="btn btn-primary" type="submit">
        {label ? t('edit.save') : t('labels.create')}
      </button>
    </form>
  );
}

/** The forms of labels of one owner, below `base`. */
export function labelForms<S>(
  { labels, editLabel }: Pick<IssueServices, 'labels' | 'editLabel'>,
  base: string,
  access: Access<S>,
  of: {
    owner(context: RouteContext<S>): LabelOwner;
    /** Path of the page with the labels. */
    path(context: RouteContext<S>): string;
    /** The page again, with what was refused. */
    again(context: RouteContext<S>, sent: { readonly values: FormValues; readonly id: number }, flash: Flash): unknown;
  },
): Route[] {
  const wishOf = (values: FormValues) => ({
    name: formText(values, 'name', 100),
    color: formText(values, 'color', 20),
    description: formText(values, 'description', 1000),
    isExclusive: isChecked(values, 'exclusive'),
    isArchived: isChecked(values, 'archived'),
  });
  const idOf = (context: RouteContext<S>) => toId((context.params as { readonly id?: string }).id);
  return [
    formRoute<S>(
      `${base}/new`,
      access,
      async (context, values) => {
        await labels.create(of.owner(context), wishOf(values));
        return of.path(context);
      },
      (context, values, flash) => of.again(context, { values, id: 0 }, flash),
    ),
    formRoute<S>(
      `${base}/initialize`,
      access,
      async (context, values) => {
        const set = labelTemplates.get(formText(values, 'set'));
        if (!set) throw NotFound('template');
        await labels.createAll(
          of.owner(context),
          set.map(({ name, color, description, exclusive }) => ({ name, color, description, isExclusive: exclusive })),
        );
        return of.path(context);
      },
      (context, values, flash) => of.again(context, { values, id: -1 }, flash),
    ),
    formRoute<S>(
      `${base}/{id}`,
      access,
      async (context, values) => {
        const label = await labels.of(of.owner(context), String(idOf(context)));
        await editLabel(label, wishOf(values), context.actor);
        return of.path(context);
      },
      (context, values, flash) => of.again(context, { values, id: idOf(context) }, flash),
    ),
    defineRoute<S>({
      method: 'POST',
      path: `${base}/{id}/delete`,
      surface: 'page',
      payload: { as: 'form' },
      access,
      async handler(context) {
        await labels.delete(
          await labels.of(of.owner(context as RouteContext<S>), String(idOf(context as RouteContext<S>))),
        );
        return reply.redirect(of.path(context as RouteContext<S>));
      },
    }),
  ];
}

const maxLabels = 500;

async function openCounts({ issueServices: { deps } }: PageDeps, repository: Repository): Promise<Map<number, number>> {
  const rows = (await deps.database
    .query(IssueLabelRow)
    .select('label_id')
    .count({ count: '*' })
    .whereIn('issue_id', IssueRow.query().select('id').where({ repository_id: repository.id, is_closed: false }))
    .groupBy('label_id')) as unknown as { label_id: number; count: unknown }[];
  return new Map(rows.map((row) => [row.label_id, Number(row.count)]));
}

/** The labels of a repository, and those that it has of its organization. */
export function labelRoutes(deps: PageDeps): Route[] {
  const { issueServices, site } = deps;
  const { labels } = issueServices;
  const read = { actor: 'anyone', resource: repositoryResource, unit: ['issues', 'pulls'] } as const;
  const homeIn = ({ resource: { repository } }: ListContext) => repositoryPathOf(site, repository);
  const show = async (context: ListContext, sent?: LabelsProps['sent'], flash?: Flash): Promise<WebPage> => {
    const { resource } = context;
    const { repository } = resource;
    const all = { limit: maxLabels, offset: 0 };
    const [own, shared, counts] = await Promise.all([
      labels.list({ repositoryId: repository.id }, all),
      labels.list({ organizationId: repository.ownerId }, all),
      openCounts(deps, repository),
    ]);
    const repositoryPath = homeIn(context);
    const mayWrite = (resource.may('write', 'issues') || resource.may('write', 'pulls')) && !repository.isArchived;
    const list = resource.may('read', 'issues') ? 'issues' : 'pulls';
    const common = {
      counts,
      listHref: (label: Label) => `${repositoryPath}/${list}?labels=${label.id}`,
      emojify: deps.emojify,
      level: 3,
    } as const;
    return deps.pages.page(repositoryPageContext(context), list, {
      title: t.later('labels.title'),
      islands: ['issues-style'],
      ...(flash && { flash, status: 422 }),
      body: (
        <LabelsPage repositoryPath={repositoryPath} list={list}>
          <Labels {...common} labels={own.items} action={`${repositoryPath}/labels`} mayWrite={mayWrite} sent={sent} />
          {shared.items.length ? (
            <SharedLabels name={repository.ownerName}>
              <Labels {...common} labels={shared.items} action="" mayWrite={false} />
            </SharedLabels>
          ) : null}
        </LabelsPage>
      ),
    });
  };
  const write = { ...read, actor: 'user', mode: 'write' } as const;
  return [
    pageRoute('/{owner}/{repo}/labels', read, (context) => show(context)),
    ...labelForms(issueServices, '/{owner}/{repo}/labels', write, {
      owner(context) {
        mustBeActive(context.resource);
        return { repositoryId: context.resource.repository.id };
      },
      path: (context) => `${homeIn(context)}/labels`,
      again: (context, sent, flash) => show(context, sent, flash),
    }),
  ];
}

const LabelsPage = ({
  repositoryPath,
  list,
  children,
}: {
  repositoryPath: string;
  list: string;
  children: ComponentChildren;
}): VNode => (
  <div>
    <div class="d-flex flex-wrap gap-2 mb-3">
      <h2 class="f3 flex-auto">{t('labels.title')}</h2>
      <a class="btn" href={`${repositoryPath}/${list}`}>
        {list === 'issues' ? t('tab') : t('tab.pulls')}
      </a>
      <a class="btn" href={`${repositoryPath}/milestones`}>
        {icon('milestone')} {t('milestones.title')}
      </a>
    </div>
    {children}
  </div>
);

const SharedLabels = ({ name, children }: { name: string; children: ComponentChildren }): VNode => (
  <section class="mt-4">
    <h3 class="f4 mb-2">{t('labels.ofOrganization', { name })}</h3>
    {children}
  </section>
);
