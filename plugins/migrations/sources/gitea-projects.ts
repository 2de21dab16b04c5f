import { projectLimits } from '@mortise/projects/api';
import { notOffered, type SourcePages } from '../contract/source.js';
import type { SourceProject, SourceProjectCard, SourceProjectField, SourceProjectView } from '../contract/records.js';
import { numberOf, recordOf, recordsOf, textOf, timeOf, userOf, type Answered, type GiteaApi } from './gitea-api.js';
import { boardPages, CardList, firstOf } from './board-pages.js';

const pageSize = 50;

/** The kind `single_select` had another name at older sites. */
const kindOf = (kind: unknown): SourceProjectField['kind'] =>
  (kind === 'choice' ? 'single_select' : textOf(kind)) as SourceProjectField['kind'];

const fieldOf = (one: Answered): SourceProjectField => ({
  name: textOf(one.name),
  kind: kindOf(one.kind),
  options: recordsOf(one.options).map((option) => ({
    title: textOf(option.title),
    color: textOf(option.color),
    startsOn: textOf(option.starts_on),
    days: numberOf(option.days),
  })),
});

/** `sort` and `group` name fields by their ids there. */
function viewOf(one: Answered, names: ReadonlyMap<number, string>): SourceProjectView {
  const named = (value: unknown) => {
    const name = names.get(Number(/^field-(\d{1,10})$/.exec(textOf(value))?.[1] ?? 0));
    return name === undefined ? value : `field:${name}`;
  };
  const options = Object.entries(recordOf(one.options)).map(([key, value]) => [
    key,
    key === 'sort' || key === 'group' ? named(value) : value,
  ]);
  return {
    title: textOf(one.title),
    layout: textOf(one.layout) as SourceProjectView['layout'],
    filter: textOf(one.filter),
    options: Object.fromEntries(options) as Record<string, unknown>,
    isDefault: one.default === true,
  };
}

/** Boards of a repository, by the API that Gitea documents; of another Mortise with all that it has beyond. */
export class GiteaProjects {
  constructor(
    private readonly api: GiteaApi,
    /** `/repos/ada/abacus` */
    private readonly repository: string,
  ) {}

  async *pages(after?: string): SourcePages<SourceProject> {
    const { status } = await this.api.get(`${this.repository}/projects?state=all&page=1&limit=1`, [404]);
    if (status === 404) throw notOffered('The source has no boards, or has them switched off.');
    const ids = this.api.pages(`${this.repository}/projects?state=all`, pageSize, undefined, (all) =>
      all.map(({ id }) => numberOf(id)),
    );
    yield* boardPages(ids, after, (id) => this.#project(id));
  }

  async #project(id: number): Promise<SourceProject | undefined> {
    const path = `${this.repository}/projects/${id}`;
    const { status, data } = await this.api.get(path, [404]);
    if (status === 404) return undefined;
    const board = recordOf(data);
    const columns = await this.#list(`${path}/columns`, projectLimits.columns);
    // fields, archived cards, views and rules are an addition of Mortise
    const boardPath = `/projects/${id}`;
    const hasMore = (await this.api.get(`${boardPath}/rules`, [404])).status !== 404;
    const columnIds = columns.map((column) => numberOf(column.id));
    return {
      id: String(id),
      title: textOf(board.title),
      description: textOf(board.description),
      isClosed: board.state === 'closed' || board.is_closed === true,
      template: textOf(board.template_type) as 'none',
      cardType: textOf(board.card_type) as 'text_only',
      creator: userOf(board.creator),
      createdAt: timeOf(board.created_at),
      updatedAt: timeOf(board.updated_at),
      closedAt: timeOf(board.closed_at),
      columns: columns.map((column) => ({
        title: textOf(column.title),
        color: textOf(column.color),
        isDefault: column.default === true,
        cardLimit: numberOf(column.card_limit),
      })),
      ...(hasMore ? await this.#additions(boardPath, columnIds) : { cards: await this.#columnCards(path, columnIds) }),
    };
  }

  async #additions(own: string, columnIds: readonly number[]) {
    const fields = await this.#list(`${own}/fields`, projectLimits.fields);
    const names = new Map(fields.map((field) => [numberOf(field.id), textOf(field.name)]));
    const rules = await this.#list(`${own}/rules`, projectLimits.views);
    const views = await this.#list(`${own}/views`, projectLimits.views);
    const list = new CardList();
    for (const query of ['', '?archived=true'])
      await list.addAll(
        this.api.pages(`${own}/cards${query}`, pageSize, undefined, (all) =>
          all.map((card) => cardOf(card, columnIds, names)),
        ),
      );
    return {
      cards: list.cards,
      fields: fields.map(fieldOf),
      views: views.map((view) => viewOf(view, names)),
      rules: rules.map(({ event, column_id: column }) => ({
        event: textOf(event) as 'opened',
        column: columnIds.indexOf(numberOf(column)),
      })),
    };
  }

  /** By the lists of the columns: what every site of the kind has. */
  async #columnCards(path: string, columnIds: readonly number[]): Promise<readonly SourceProjectCard[]> {
    const list = new CardList();
    for (const [column, id] of columnIds.entries())
      await list.addAll(
        this.api.pages(`${path}/columns/${id}/issues`, pageSize, undefined, (all) =>
          all.map(({ number }) => ({ issue: numberOf(number), column })),
        ),
      );
    return list.cards;
  }

  #list(path: string, max: number): Promise<Answered[]> {
    return firstOf(
      this.api.pages(path, pageSize, undefined, (all) => all),
      max,
    );
  }
}

function cardOf(card: Answered, columnIds: readonly number[], names: ReadonlyMap<number, string>): SourceProjectCard {
  const values = recordsOf(card.values).slice(0, projectLimits.fields);
  return {
    issue: numberOf(recordOf(card.issue).number),
    column: columnIds.indexOf(numberOf(card.column_id)),
    isArchived: card.is_archived === true,
    values: values.flatMap(({ field_id: field, value }) => {
      const name = names.get(numberOf(field));
      if (name === undefined || (typeof value !== 'string' && typeof value !== 'number')) return [];
      return [{ field: name, value: typeof value === 'string' ? value.slice(0, projectLimits.textValue) : value }];
    }),
  };
}
