import { defineRoute, NotFound, type Flash, type RouteContext, type Route, type WebPage } from '@mortise/plugin-sdk';
import { userFieldIslands } from '@mortise/accounts/api';
import { markupIslands } from '@mortise/markup/api';
import type { ProjectCard, ProjectColumn } from '../api.js';
import { isFiltered } from '../services/board-search.js';
import type { BoardCards, CardCounts } from '../services/card-reader.js';
import { Board, type BoardView } from './board.js';
import { boardHref, filterQuery, readFilter } from './board-query.js';
import { readDetails } from './card-details.js';
import { ColumnPage, cardsPerPage, ArchivePage } from './column-page.js';
import { boardPath, mayMoveOn, mayWriteAt, pageRoots, projectPage, type BoardRoute, type PageDeps } from './frame.js';
import { readProject } from './list-routes.js';

/** Cards that a board draws before people ask for more of a column. */
const maxDrawn = 600;
const maxDrawnInColumn = 50;
const minDrawnInColumn = 10;

const drawnInColumn = (columns: number): number =>
  Math.max(minDrawnInColumn, Math.min(maxDrawnInColumn, Math.floor(maxDrawn / Math.max(1, columns))));

export const boardIslands = [...markupIslands, ...userFieldIslands, 'issues-style', 'projects-style', 'projects'];

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

export async function readBoard(deps: PageDeps, context: BoardRoute, query: unknown): Promise<BoardView> {
  const { columns: columnService, cardReader, boardSearch } = deps.services;
  const { actor, resource } = context;
  const { project, place } = resource;
  const columns = await columnService.list(project.id);
  const filter = readFilter(query);
  const limit = drawnInColumn(columns.length);
  const found = isFiltered(filter) ? await boardSearch.cards(project, filter, actor) : undefined;
  const closedIds = new Set(found?.issues.filter(({ isClosed }) => isClosed).map(({ id }) => id));
  const { counts, cards } = found
    ? byColumn(found.cards, (card) => closedIds.has(card.issueId), columns)
    : await cardReader.board(project, { actor, place }, limit);
  const all = [...cards.values()].flat();
  const isUser = actor.kind === 'user';
  const mayMove = isUser && mayMoveOn(resource);
  const mayWrite = isUser && mayWriteAt(place);
  const description = project.description.trim()
    ? await deps.markup.render(project.description, {
        kind: 'comment',
        ...(place.repository && { repository: `${place.repository.ownerName}/${place.repository.name}` }),
        viewer: context,
      })
    : undefined;
  return {
    deps,
    project,
    place,
    path: boardPath(deps.site, resource),
    details: await readDetails(deps, all, actor, {
      withImages: project.cardType === 'images_and_text',
      ...(found && { known: found.issues }),
    }),
    mayMove,
    query: filterQuery(filter),
    columns,
    counts,
    cards,
    filter,
    isCut: found !== undefined && found.total > found.issues.length,
    description,
    mayWrite,
    csrf: isUser ? context.csrf : '',
  };
}

/** The board, also again after a form on it was refused. */
export async function boardPage(deps: PageDeps, context: BoardRoute, query: unknown, flash?: Flash): Promise<WebPage> {
  const view = await readBoard(deps, context, query);
  return projectPage(deps, context, view.place, {
    title: view.project.title,
    islands: boardIslands,
    ...(flash && { flash, status: flash.status ?? 422 }),
    body: <Board {...view} />,
  });
}

/** One column with all its cards, page by page. */
async function columnPage(deps: PageDeps, context: BoardRoute, columnId: number): Promise<WebPage> {
  const { columns, cardReader } = deps.services;
  const { actor, resource } = context;
  const { project, place } = resource;
  const column = await columns.of(project.id, columnId);
  const { page } = context.page;
  const paging = { limit: cardsPerPage, offset: (page - 1) * cardsPerPage };
  const { items, total } = await cardReader.column(project, column.id, { actor, place }, paging);
  const path = boardPath(deps.site, resource);
  const details = await readDetails(deps, items, actor);
  const mayMove = actor.kind === 'user' && mayMoveOn(resource);
  const view = { deps, project, place, path, details, mayMove, query: '' };
  return projectPage(deps, context, place, {
    title: column.title,
    islands: ['issues-style', 'projects-style'],
    body: <ColumnPage view={view} column={column} cards={items} total={total} page={page} />,
  });
}

async function archivePage(deps: PageDeps, context: BoardRoute): Promise<WebPage> {
  const { actor, resource } = context;
  const { project, place } = resource;
  const { page } = context.page;
  const paging = { limit: cardsPerPage, offset: (page - 1) * cardsPerPage };
  const { items, total } = await deps.services.cardReader.archived(project, { actor, place }, paging);
  const path = boardPath(deps.site, resource);
  const details = await readDetails(deps, items, actor);
  const mayMove = actor.kind === 'user' && mayMoveOn(resource);
  const view = { deps, project, place, path, details, mayMove, query: '' };
  return projectPage(deps, context, place, {
    title: project.title,
    islands: ['issues-style', 'projects-style'],
    body: <ArchivePage view={view} csrf={mayMove ? context.csrf : ''} cards={items} total={total} page={page} />,
  });
}

/** Boards, their columns alone, and their archive. */
export const boardRoutes = (deps: PageDeps): Route[] =>
  pageRoots.flatMap((root): Route[] => [
    defineRoute({
      method: 'GET',
      path: `${root}/{id}`,
      surface: 'page',
      access: readProject,
      handler: (context) => boardPage(deps, context, context.query),
    }),
    defineRoute({
      method: 'GET',
      path: `${root}/{id}/columns/{column_id}`,
      surface: 'page',
      access: readProject,
      handler: (context) => columnPage(deps, context, columnIdIn(context)),
    }),
    defineRoute({
      method: 'GET',
      path: `${root}/{id}/archive`,
      surface: 'page',
      access: readProject,
      handler: (context) => archivePage(deps, context),
    }),
  ]);

/** NotFound for what is no number. */
export function columnIdIn({ params }: Pick<RouteContext, 'params'>): number {
  const id = Number((params as { readonly column_id?: string }).column_id);
  if (!Number.isSafeInteger(id)) throw NotFound('column');
  return id;
}

/** Where a form of the board leads back to. */
export const backTo = (deps: PageDeps, { resource }: BoardRoute, query: string): string =>
  boardHref(boardPath(deps.site, resource), query);
