import { projectLimits } from '@mortise/projects/api';
import { notOffered, type SourcePages } from '../contract/source.js';
import type { SourceProject } from '../contract/records.js';
import { boardPages, CardList } from './board-pages.js';
import { numberOf, recordOf, recordsOf, textOf, type Answered } from './gitea-api.js';
import type { GitLabApi } from './gitlab-api.js';
import { labelName } from './gitlab-records.js';

/** Issues of a list of a board as they stand there. */
const asTheyStand = { state: 'opened', scope: 'all', order_by: 'relative_position', sort: 'asc' };

/**
 * Issue boards of a project (docs.gitlab.com/api/boards): each list of a label is a column with the open issues that have
 * the label, in the order of the board. An issue of two lists stands in the first. Lists of assignees, milestones and
 * iterations, and those of all open and closed issues, are no columns.
 */
export async function* gitLabProjects(api: GitLabApi, project: string, after?: string): SourcePages<SourceProject> {
  const { status } = await api.get(`${project}/boards?per_page=1`, [401, 403, 404]);
  if (status === 404 || (status === 401 && !api.isSignedIn))
    throw notOffered('The source has no boards, or shows them to those alone who sign in.');
  const ids = api.pages(`${project}/boards`, {}, undefined, (all) => all.map(({ id }) => numberOf(id)));
  yield* boardPages(ids, after, (id) => readBoard(api, project, id));
}

async function readBoard(api: GitLabApi, project: string, id: number): Promise<SourceProject | undefined> {
  const { status, data } = await api.get(`${project}/boards/${id}`, [404]);
  if (status === 404) return undefined;
  const board = recordOf(data);
  const lists = recordsOf(board.lists)
    .filter((list) => labelOf(list) !== '')
    .sort((one, other) => numberOf(one.position) - numberOf(other.position))
    .slice(0, projectLimits.columns + 1);
  const cards = new CardList();
  for (const [column, list] of lists.entries())
    if (!cards.isFull)
      await cards.addAll(
        api.pages(`${project}/issues`, { ...asTheyStand, labels: labelOf(list) }, undefined, (all) =>
          // confidential ones stay behind, as those of the list of issues do
          all.filter((one) => one.confidential !== true).map(({ iid }) => ({ issue: numberOf(iid), column })),
        ),
      );
  return {
    id: String(id),
    title: textOf(board.name) || 'Development',
    description: '',
    isClosed: false,
    columns: lists.map((list) => ({
      title: labelName(labelOf(list)),
      color: textOf(recordOf(list.label).color),
      cardLimit: numberOf(list.max_issue_count),
    })),
    cards: cards.cards,
  };
}

const labelOf = ({ label }: Answered): string => textOf(recordOf(label).name);
