import {
  endOfDay,
  formRoute,
  formText,
  Invalid,
  lastPage,
  NotFound,
  pageRoute,
  postRoute,
  reply,
  toId,
  type Flash,
  type FormValues,
  type Route,
  type WebPage,
} from '@mortise/plugin-sdk';
import { markupIslands } from '@mortise/markup/api';
import { mustBeActive, repositoryPageContext, repositoryResource } from '@mortise/repositories/api';
import { conversationIslands, type Milestone } from '../api.js';
import { dayIn } from '../fields/dates.js';
import { readRows } from './rows.js';
import { repositoryPathOf, type ListContext, type PageDeps } from './page-context.js';
import { t } from '../texts/index.js';
import { importedFlash } from './milestone-exchange.js';
import { List, MilestoneForm, View, type FormProps } from './milestone-views.js';

const textIn = (query: unknown, name: string): string => {
  const value = (query as Readonly<Record<string, unknown>>)[name];
  return typeof value === 'string' ? value.slice(0, 255) : '';
};

const read = { actor: 'anyone', resource: repositoryResource, unit: ['issues', 'pulls'] } as const;

const write = { ...read, actor: 'user', mode: 'write' } as const;

const tabOf = ({ resource }: ListContext) => (resource.may('read', 'issues') ? 'issues' : 'pulls');

const mayWriteIn = ({ resource }: ListContext) =>
  (resource.may('write', 'issues') || resource.may('write', 'pulls')) && !resource.repository.isArchived;

const inputOf = (values: FormValues) => {
  const time = dayIn(values, 'due');
  const title = formText(values, 'title', 1000);
  if (title.length > 255)
    throw Invalid(t.later('error.titleLong', { limit: 255 }), {
      inputs: { title: t.later('error.titleLong', { limit: 255 }) },
    });
  const description = formText(values, 'description', 1_000_000).replaceAll('\r\n', '\n');
  return { title, description, dueAt: time && endOfDay(time) };
};

/** What these routes share. */
function milestoneContext(deps: PageDeps) {
  const { issueServices, site, pages, markup, perPage } = deps;
  const { milestones, reader } = issueServices;
  const homeIn = ({ resource: { repository } }: ListContext) => repositoryPathOf(site, repository);
  const milestoneOf = async (context: ListContext): Promise<Milestone> => {
    const id = toId((context.params as { readonly id?: string }).id);
    const milestone = (await reader.milestones([id])).get(id);
    if (!milestone || milestone.repositoryId !== context.resource.repository.id) throw NotFound('milestone');
    return milestone;
  };
  const formPage = (context: ListContext, more: Pick<FormProps, 'milestone' | 'sent'>, flash?: Flash): WebPage =>
    pages.page(repositoryPageContext(context), tabOf(context), {
      title: more.milestone ? t.later('milestone.edit') : t.later('milestone.new'),
      islands: [...markupIslands, ...conversationIslands],
      ...(flash && { flash, status: 422 }),
      body: <MilestoneForm repositoryPath={homeIn(context)} repository={context.resource.repository} {...more} />,
    });
  return { milestones, pages, homeIn, formPage, milestoneOf, reader, deps, markup, perPage };
}

type MilestonePageContext = ReturnType<typeof milestoneContext>;

const milestoneList = ({ milestones, pages, homeIn, perPage }: MilestonePageContext) =>
  pageRoute('/{owner}/{repo}/milestones', read, async (context) => {
    const repositoryId = context.resource.repository.id;
    const words = textIn(context.query, 'q');
    const state = textIn(context.query, 'state') === 'closed' ? 'closed' : 'open';
    const { page } = context.page;
    const search = { repositoryId, ...(words && { text: words }) };
    const shown = await milestones.list({
      ...search,
      isClosed: state === 'closed',
      limit: perPage,
      offset: (page - 1) * perPage,
    });
    const other = await milestones.list({
      ...search,
      isClosed: state !== 'closed',
      limit: 0,
      offset: Number.MAX_SAFE_INTEGER,
    });
    const counts =
      state === 'open' ? { open: shown.total, closed: other.total } : { open: other.total, closed: shown.total };
    const flash = importedFlash(context.query);
    return pages.page(repositoryPageContext(context), tabOf(context), {
      title: t.later('milestones.title'),
      ...(flash && { flash }),
      islands: ['issues-style'],
      body: (
        <List
          repositoryPath={homeIn(context)}
          list={tabOf(context)}
          mayWrite={mayWriteIn(context)}
          items={shown.items}
          {...counts}
          state={state}
          words={words}
          page={page}
          last={lastPage(shown.total, perPage)}
        />
      ),
    });
  });

const newMilestonePage = ({ formPage }: MilestonePageContext) =>
  pageRoute('/{owner}/{repo}/milestones/new', write, (context) => {
    mustBeActive(context.resource);
    return formPage(context, {});
  });

const createMilestone = ({ milestones, homeIn, formPage }: MilestonePageContext) =>
  formRoute(
    '/{owner}/{repo}/milestones/new',
    write,
    async (context, values) => {
      mustBeActive(context.resource);
      const { id } = await milestones.create(context.resource.repository.id, inputOf(values));
      return `${homeIn(context)}/milestone/${id}`;
    },
    (context, values, flash) => formPage(context, { sent: values }, flash),
  );

const editMilestonePage = ({ formPage, milestoneOf }: MilestonePageContext) =>
  pageRoute('/{owner}/{repo}/milestones/{id}/edit', write, async (context) =>
    formPage(context, { milestone: await milestoneOf(context) }),
  );

const saveMilestone = ({ milestones, milestoneOf, homeIn, formPage }: MilestonePageContext) =>
  formRoute(
    '/{owner}/{repo}/milestones/{id}/edit',
    write,
    async (context, values) => {
      mustBeActive(context.resource);
      const { id } = await milestones.edit(await milestoneOf(context), inputOf(values));
      return `${homeIn(context)}/milestone/${id}`;
    },
    async (context, values, flash) => formPage(context, { milestone: await milestoneOf(context), sent: values }, flash),
  );

const changeMilestoneState = ({ milestones, milestoneOf, homeIn }: MilestonePageContext) =>
  postRoute('/{owner}/{repo}/milestones/{id}/state', write, async (context) => {
    mustBeActive(context.resource);
    const isClosed = formText(context.payload as FormValues, 'closed') === '1';
    const { id } = await milestones.edit(await milestoneOf(context), { isClosed });
    return reply.redirect(`${homeIn(context)}/milestone/${id}`);
  });

const deleteMilestone = ({ milestones, milestoneOf, homeIn }: MilestonePageContext) =>
  postRoute('/{owner}/{repo}/milestones/{id}/delete', write, async (context) => {
    mustBeActive(context.resource);
    await milestones.delete(await milestoneOf(context));
    return reply.redirect(`${homeIn(context)}/milestones`);
  });

const milestonePage = ({ milestoneOf, reader, deps, markup, pages, homeIn, perPage }: MilestonePageContext) =>
  pageRoute('/{owner}/{repo}/milestone/{id}', read, async (context) => {
    const milestone = await milestoneOf(context);
    const { repository } = context.resource;
    const state = textIn(context.query, 'state') === 'closed' ? 'closed' : 'open';
    const { page } = context.page;
    // those of a unit that the reader may not see stay out
    const kinds = [context.resource.may('read', 'issues'), context.resource.may('read', 'pulls')] as const;
    const found = await reader.page(
      {
        repositoryId: repository.id,
        milestoneId: milestone.id,
        isClosed: state === 'closed',
        ...(kinds[0] !== kinds[1] && { isPull: kinds[1] }),
        limit: perPage,
        offset: (page - 1) * perPage,
      },
      context.actor,
    );
    const rows = await readRows(deps, found.items, context.actor, { milestones: [milestone], repository });
    const html = await markup.render(milestone.description, {
      kind: 'comment',
      repository: `${repository.ownerName}/${repository.name}`,
      viewer: context,
    });
    return pages.page(repositoryPageContext(context), tabOf(context), {
      title: milestone.title,
      islands: [...markupIslands, 'issues-style'],
      body: (
        <View
          deps={deps}
          repositoryPath={homeIn(context)}
          milestone={milestone}
          html={html}
          mayWrite={mayWriteIn(context)}
          rows={rows}
          state={state}
          page={page}
          last={lastPage(state === 'open' ? found.open : found.closed, perPage)}
        />
      ),
    });
  });

/** Pages of milestones. */
export function milestonePages(deps: PageDeps): Route[] {
  const context = milestoneContext(deps);
  return [
    milestoneList(context),
    newMilestonePage(context),
    createMilestone(context),
    editMilestonePage(context),
    saveMilestone(context),
    changeMilestoneState(context),
    deleteMilestone(context),
    milestonePage(context),
  ];
}
