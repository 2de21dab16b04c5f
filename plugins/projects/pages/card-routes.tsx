import {
  pageRoute,
  formId,
  formRoute,
  formText,
  Invalid,
  NotFound,
  Problem,
  toId,
  type FormValues,
  type Route,
  type WebPage,
} from '@mortise/plugin-sdk';
import type { Issue } from '@mortise/issues/api';
import { readableIssue } from '../routes/cards.js';
import { readAddress } from '../services/card-search.js';
import type { CardActor, CardSpot } from '../services/cards.js';
import { boardReturnHref, boardPage } from './board-routes.js';
import { addressQuery, keptQuery } from './board-address.js';
import { readDetails } from './card-details.js';
import { valuesOf } from './field-routes.js';
import { AddPage, CardPage } from './card-page.js';
import { boardPath, mayMoveOn, pageRoots, projectPage, type BoardRoute, type PageDeps } from './frame.js';
import { queryText, writeProject } from './list-routes.js';
import { t } from '../texts/index.js';

/** Issues that the search for cards shows, and that one form adds. */
const maxCandidates = 50;

const issueIn = (deps: PageDeps, { params, actor }: BoardRoute): Promise<Issue> =>
  readableIssue(deps.services, toId((params as { readonly issue_id?: string }).issue_id), actor);

const cardActor = ({ actor, resource: { scope } }: BoardRoute): CardActor => ({
  actorId: actor.id,
  visibleTo: { actor, scope },
});

async function viewOf(deps: PageDeps, context: BoardRoute, issues: readonly Issue[], query = '') {
  const { resource, actor } = context;
  const cards = issues.map(({ id }) => ({ issueId: id }));
  return {
    ...resource,
    deps,
    path: boardPath(deps.site, resource),
    details: await readDetails(deps, cards, actor, { known: issues }),
    mayMove: mayMoveOn(resource),
    query,
  };
}

async function cardPage(deps: PageDeps, context: BoardRoute): Promise<WebPage> {
  const { cards, columns, fields } = deps.services;
  const { project, scope } = context.resource;
  const issue = await issueIn(deps, context);
  const card = await cards.ofIssue(project.id, issue.id);
  if (!card) throw NotFound('card');
  const boardFields = await fields.list(project.id);
  const values = await fields.values(boardFields, [card.id]);
  return projectPage(deps, context, scope, {
    title: issue.title,
    islands: ['issues-style', 'projects-style'],
    body: (
      <CardPage
        view={await viewOf(deps, context, [issue], addressQuery(context.query))}
        columns={await columns.list(project.id)}
        card={card}
        issue={issue}
        fields={boardFields}
        values={values.get(card.id) ?? []}
      />
    ),
  });
}

async function addPage(deps: PageDeps, context: BoardRoute): Promise<WebPage> {
  const { cardSearch, columns } = deps.services;
  const { project, scope } = context.resource;
  const text = queryText(context.query, 'q');
  const candidates = await cardSearch.candidates(project, text, context.actor, maxCandidates);
  return projectPage(deps, context, scope, {
    title: t.later('add.title'),
    islands: ['issues-style', 'projects-style'],
    body: (
      <AddPage
        view={await viewOf(deps, context, candidates)}
        columns={await columns.list(project.id)}
        found={candidates}
        words={text}
      />
    ),
  });
}

/** Where a form puts a card: after another one, first, or last. */
function spotOf(values: FormValues): CardSpot {
  if (formText(values, 'after')) return { afterCardId: formId(values, 'after') };
  return formText(values, 'spot') === 'first' ? { index: 0 } : 'end';
}

async function moveByOne(deps: PageDeps, context: BoardRoute, issue: Issue, by: -1 | 1): Promise<void> {
  const { cards, cardReader } = deps.services;
  const { project } = context.resource;
  const card = await cards.ofIssue(project.id, issue.id);
  if (!card) throw NotFound('card');
  const mover = cardActor(context);
  const index = Math.max(0, (await cardReader.cardsBefore(card, mover.visibleTo)) + by);
  await cards.move(project, issue, { columnId: card.columnId, spot: { index } }, mover);
}

async function change(deps: PageDeps, context: BoardRoute, values: FormValues): Promise<void> {
  const { cards, fields } = deps.services;
  const { project } = context.resource;
  const issue = await issueIn(deps, context);
  const by = cardActor(context);
  const columnId = formId(values, 'column');
  switch (formText(values, 'action')) {
    case 'move':
      await cards.move(project, issue, { ...(columnId && { columnId }), spot: spotOf(values) }, by);
      break;
    case 'up':
      await moveByOne(deps, context, issue, -1);
      break;
    case 'down':
      await moveByOne(deps, context, issue, 1);
      break;
    case 'archive':
      await cards.edit(project, issue, { isArchived: true }, by);
      break;
    case 'restore':
      await cards.edit(project, issue, { isArchived: false }, by);
      break;
    case 'values':
      await cards.edit(project, issue, { values: valuesOf(values, await fields.list(project.id)) }, by);
      break;
    case 'remove':
      await cards.remove(project, issue, by);
      break;
    default:
      throw Invalid(t.later('error.action'));
  }
}

/** The issues that a form names: chosen ones, or one by its address. */
async function namedIssues(deps: PageDeps, context: BoardRoute, values: FormValues): Promise<Issue[]> {
  const { services } = deps;
  const { actor, resource } = context;
  const ids = values.ids === undefined ? [] : [values.ids].flat();
  if (ids.length > maxCandidates) throw Invalid(t.later('add.tooMany', { max: maxCandidates }));
  if (ids.length) return Promise.all(ids.map((id) => readableIssue(services, toId(id), actor)));
  const { repository } = resource.scope;
  const home = repository && { owner: repository.ownerName, repo: repository.name };
  const wrong = { inputs: { address: t.later('add.wrong') } };
  const named = readAddress(formText(values, 'address', 500), home);
  const namedRepository = named && (await services.deps.repositories.byPath(named.owner, named.repo));
  const issue = namedRepository && (await services.deps.issues.byIndex(namedRepository.id, named.index));
  if (!issue) throw Invalid(t.later('add.wrong'), wrong);
  // hidden ones are told of as missing ones are
  return [
    await readableIssue(services, issue.id, actor).catch((error: unknown) => {
      throw Problem.is(error) ? Invalid(t.later('add.wrong'), wrong) : error;
    }),
  ];
}

async function add(deps: PageDeps, context: BoardRoute, values: FormValues): Promise<void> {
  const { cards, deps: all } = deps.services;
  const { project } = context.resource;
  const columnId = formId(values, 'column') || undefined;
  const issues = await namedIssues(deps, context, values);
  await all.database.write(async () => {
    for (const issue of issues) await cards.add(project, issue, columnId, cardActor(context));
  });
}

/** Cards of a board by forms: added, moved, archived and taken off. */
export const cardPageRoutes = (deps: PageDeps): Route[] =>
  pageRoots.flatMap((root): Route[] => {
    const done = (context: BoardRoute, values: FormValues) =>
      boardReturnHref(deps, context, keptQuery(formText(values, 'query', 2000)));
    return [
      pageRoute(`${root}/{id}/add`, writeProject, (context) => addPage(deps, context)),
      formRoute(
        `${root}/{id}/cards`,
        writeProject,
        async (context, values) => {
          await add(deps, context, values);
          return done(context, values);
        },
        (context, _values, flash) => boardPage(deps, context, {}, flash),
      ),
      pageRoute(`${root}/{id}/cards/{issue_id}`, writeProject, (context) => cardPage(deps, context)),
      formRoute(
        `${root}/{id}/cards/{issue_id}`,
        writeProject,
        async (context, values) => {
          await change(deps, context, values);
          return done(context, values);
        },
        (context, _values, flash) => boardPage(deps, context, {}, flash),
      ),
    ];
  });
