import {
  formText,
  NotFound,
  pageRoute,
  postRoute,
  reply,
  type Flash,
  type FormValues,
  type RouteContext,
  type Route,
  type WebPage,
} from '@mortise/plugin-sdk';
import { userFieldIslands } from '@mortise/accounts/api';
import { markupIslands } from '@mortise/markup/api';
import type { ProjectCard, ProjectColumn } from '../contract/projects.js';
import type { ProjectField, ProjectView } from '../contract/fields.js';
import { CardRow } from '../models/card.js';
import { projectSubject } from '../services/account-subjects.js';
import { isFiltered } from '../services/card-search.js';
import type { BoardCards, CardCounts } from '../services/card-reader.js';
import { BoardFrame, ColumnsLayout, type BoardView } from './board.js';
import { cardSort, layoutHref, readLayout, savedQuery } from './board-layout.js';
import { boardHref, filterQuery, readFilter } from './board-address.js';
import { readDetails } from './card-details.js';
import { ColumnPage, cardsPerPage, ArchivePage } from './column-page.js';
import { boardPath, mayMoveOn, mayWriteAt, pageRoots, projectPage, type BoardRoute, type PageDeps } from './frame.js';
import { readProject } from './list-routes.js';
import { maxOnRoadmap, RoadmapLayout } from './roadmap.js';
import { rowsPerPage, TableLayout } from './table.js';

/** Cards that a board draws before people ask for more of a column. */
const maxDrawn = 600;
const maxDrawnInColumn = 50;
const minDrawnInColumn = 10;

const drawnInColumn = (columns: number): number =>
  Math.max(minDrawnInColumn, Math.min(maxDrawnInColumn, Math.floor(maxDrawn / Math.max(1, columns))));

const boardIslands = [...markupIslands, ...userFieldIslands, 'issues-style', 'projects-style', 'projects'];

/** Found cards by their columns. */
function byColumn(
  cards: readonly ProjectCard[],
  isClosed: (card: ProjectCard) => boolean,
  columns: readonly ProjectColumn[],
): BoardCards {
  const shown = new Map<number, ProjectCard[]>(columns.map(({ id }) => [id, []]));
  const counts = new Map<number, CardCounts>();
  for (const card of cards) {
    shown.get(card.columnId)?.push(card);
    const { open, closed } = counts.get(card.columnId) ?? { open: 0, closed: 0 };
    counts.set(card.columnId, isClosed(card) ? { open, closed: closed + 1 } : { open: open + 1, closed });
  }
  return { counts, cards: shown };
}

const issueIds = (ids: readonly number[]) =>
  CardRow.query()
    .from('issue')
    .select('issue.id')
    .whereIn('issue.id', [...ids]);

interface BoardRead {
  readonly view: BoardView;
  readonly fields: readonly ProjectField[];
  /** Of tables and roadmaps. */
  readonly listed: { readonly items: readonly ProjectCard[]; readonly total: number };
}

/** What the address says; without anything the default view of the board, where it has one. */
function queryOf(given: unknown, savedViews: readonly ProjectView[]): unknown {
  const isPlain = Object.keys(given as object).length === 0;
  const opened = isPlain ? savedViews.find(({ isDefault }) => isDefault) : undefined;
  return opened ? savedQuery(opened) : given;
}

async function readBoard(deps: PageDeps, context: BoardRoute, given: unknown): Promise<BoardRead> {
  const { columns: columnService, cardReader, cardSearch, fields: fieldService, subscriptions, views } = deps.services;
  const { actor, resource } = context;
  const { project, scope } = resource;
  const columns = await columnService.list(project.id);
  const savedViews = await views.list(project.id);
  const query = queryOf(given, savedViews);
  const filter = readFilter(query);
  const fields = await fieldService.list(project.id);
  const layout = readLayout(query, fields);
  const found = isFiltered(filter) ? await cardSearch.cards(project, filter, actor) : undefined;
  const closedIds = new Set(found?.issues.filter(({ isClosed }) => isClosed).map(({ id }) => id));
  const { counts, cards } = found
    ? byColumn(found.cards, (card) => closedIds.has(card.issueId), columns)
    : layout.view === 'columns'
      ? await cardReader.board(project, { actor, scope }, drawnInColumn(columns.length))
      : {
          counts: await cardReader.columnCounts(project.id, { actor, scope }),
          cards: new Map<number, ProjectCard[]>(),
        };
  const { page } = context.page;
  const isTable = layout.view === 'table';
  const listed =
    layout.view === 'columns'
      ? { items: [...cards.values()].flat(), total: 0 }
      : await cardReader.list(
          project,
          { actor, scope },
          {
            ...(found && { among: issueIds(found.issues.map(({ id }) => id)) }),
            sort: isTable ? cardSort(layout) : [{ by: 'due' }, { by: 'milestone' }],
            limit: isTable ? rowsPerPage : maxOnRoadmap,
            offset: isTable ? (page - 1) * rowsPerPage : 0,
          },
        );
  const isUser = actor.kind === 'user';
  const mayMove = isUser && mayMoveOn(resource);
  const mayWrite = isUser && mayWriteAt(scope);
  const description = project.description.trim()
    ? await deps.markup.render(project.description, {
        kind: 'comment',
        ...(scope.repository && { repository: `${scope.repository.ownerName}/${scope.repository.name}` }),
        viewer: context,
      })
    : undefined;
  const view: BoardView = {
    deps,
    project,
    scope,
    layout,
    path: boardPath(deps.site, resource),
    details: await readDetails(deps, listed.items, actor, {
      withImages: project.cardType === 'images_and_text',
      ...(found && { known: found.issues }),
    }),
    mayMove,
    query: layoutHref('', layout, filterQuery(filter)).slice(1),
    savedViews,
    isFollowed: isUser && (await subscriptions.isSubscribed(project.id, actor.id)),
    columns,
    counts,
    cards,
    filter,
    isCut: found !== undefined && found.total > found.issues.length,
    description,
    mayWrite,
    isSignedIn: isUser,
  };
  return { view, fields, listed };
}

/** The cards as the address asks for them. */
async function layoutOf({ services }: PageDeps, { page }: BoardRoute, { view, fields, listed }: BoardRead) {
  const { layout } = view;
  if (layout.view === 'columns') return <ColumnsLayout {...view} />;
  if (layout.view === 'roadmap') return <RoadmapLayout board={view} cards={listed.items} total={listed.total} />;
  const values = await services.fields.values(
    fields,
    listed.items.map(({ id }) => id),
  );
  return (
    <TableLayout
      board={view}
      layout={layout}
      rows={listed.items}
      total={listed.total}
      page={page.page}
      fields={fields}
      values={values}
    />
  );
}

/** The board, also again after a form on it was refused. */
export async function boardPage(deps: PageDeps, context: BoardRoute, query: unknown, flash?: Flash): Promise<WebPage> {
  const read = await readBoard(deps, context, query);
  const { view } = read;
  return projectPage(deps, context, view.scope, {
    title: view.project.title,
    islands: boardIslands,
    ...(flash && { flash, status: flash.status ?? 422 }),
    body: <BoardFrame view={view}>{await layoutOf(deps, context, read)}</BoardFrame>,
  });
}

/** One column with all its cards, page by page. */
async function columnPage(deps: PageDeps, context: BoardRoute, columnId: number): Promise<WebPage> {
  const { columns, cardReader } = deps.services;
  const { actor, resource } = context;
  const { project, scope } = resource;
  const column = await columns.of(project.id, columnId);
  const { page } = context.page;
  const paging = { limit: cardsPerPage, offset: (page - 1) * cardsPerPage };
  const { items, total } = await cardReader.column(project, column.id, { actor, scope }, paging);
  const path = boardPath(deps.site, resource);
  const details = await readDetails(deps, items, actor);
  const mayMove = actor.kind === 'user' && mayMoveOn(resource);
  const view = { deps, project, scope, path, details, mayMove, query: '' };
  return projectPage(deps, context, scope, {
    title: column.title,
    islands: ['issues-style', 'projects-style'],
    body: <ColumnPage view={view} column={column} cards={items} total={total} page={page} />,
  });
}

async function archivePage(deps: PageDeps, context: BoardRoute): Promise<WebPage> {
  const { actor, resource } = context;
  const { project, scope } = resource;
  const { page } = context.page;
  const paging = { limit: cardsPerPage, offset: (page - 1) * cardsPerPage };
  const { items, total } = await deps.services.cardReader.list(
    project,
    { actor, scope },
    { isArchived: true, ...paging },
  );
  const path = boardPath(deps.site, resource);
  const details = await readDetails(deps, items, actor);
  const mayMove = actor.kind === 'user' && mayMoveOn(resource);
  const view = { deps, project, scope, path, details, mayMove, query: '' };
  return projectPage(deps, context, scope, {
    title: project.title,
    islands: ['issues-style', 'projects-style'],
    body: <ArchivePage view={view} cards={items} total={total} page={page} />,
  });
}

/** The thread of a board of an account; boards of repositories share that of their repository. */
async function markThreadSeen({ notifications }: PageDeps, { actor, resource }: BoardRoute): Promise<void> {
  const [service] = notifications.list();
  if (service && actor.kind === 'user' && !resource.project.repositoryId)
    await service.markSubjectSeen(actor, projectSubject, resource.project.id);
}

/** Boards, their columns alone, and their archive. */
export const boardRoutes = (deps: PageDeps): Route[] =>
  pageRoots.flatMap((root): Route[] => [
    pageRoute(`${root}/{id}`, readProject, async (context) => {
      await markThreadSeen(deps, context);
      return boardPage(deps, context, context.query);
    }),
    pageRoute(`${root}/{id}/columns/{column_id}`, readProject, (context) =>
      columnPage(deps, context, columnIdIn(context)),
    ),
    // an open page says that it is there, and hears what it may have missed
    postRoute(`${root}/{id}/watch`, { ...readProject, actor: 'user' }, async ({ actor, resource: { project } }) => {
      await deps.services.presence.record(project.id, actor.id);
      return reply.json({ revision: project.revision });
    }),
    postRoute(`${root}/{id}/follow`, { ...readProject, actor: 'user' }, async ({ actor, payload, resource }) => {
      const { subscriptions } = deps.services;
      const isWanted = formText(payload as FormValues, 'follow') === '1';
      if (isWanted) await subscriptions.subscribe(resource.project.id, actor.id);
      else await subscriptions.unsubscribe(resource.project.id, actor.id);
      return reply.redirect(boardPath(deps.site, resource));
    }),
    pageRoute(`${root}/{id}/archive`, readProject, (context) => archivePage(deps, context)),
  ]);

/** NotFound for what is no number. */
export function columnIdIn({ params }: Pick<RouteContext, 'params'>): number {
  const id = Number((params as { readonly column_id?: string }).column_id);
  if (!Number.isSafeInteger(id)) throw NotFound('column');
  return id;
}

/** Where a form of the board leads back to. */
export const boardReturnHref = (deps: PageDeps, { resource }: BoardRoute, query: string): string =>
  boardHref(boardPath(deps.site, resource), query);
