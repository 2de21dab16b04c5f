/**
 * Boards in `projects.yml`, an addition of Mortise. A board with many cards takes several elements of the list: those with
 * `continues` hold more cards of the board before them.
 */
import { Joi } from '@mortise/plugin-sdk';
import { projectLimits } from '@mortise/projects/api';
import type { SourceProject, SourceProjectCard, SourceProjectField, SourceProjectView } from '../contract/records.js';
import { flag, id, posterKeys, posterOf, text, time, timeIn, timeOut, userOfPoster, type Poster } from './records.js';

interface ColumnRecord {
  readonly title: string;
  readonly color?: string | null;
  readonly default?: boolean | null;
  readonly card_limit?: number | null;
}
interface CardRecord {
  /** Number of the issue or pull request. */
  readonly issue: number;
  /** From 0. */
  readonly column: number;
  readonly archived?: boolean | null;
  readonly values?: SourceProjectCard['values'] | null;
}
interface FieldRecord {
  readonly name: string;
  readonly kind: SourceProjectField['kind'];
  readonly options?:
    | readonly {
        readonly title: string;
        readonly color?: string | null;
        readonly starts_on?: string | null;
        readonly days?: number | null;
      }[]
    | null;
}
interface ViewRecord {
  readonly title: string;
  readonly layout: SourceProjectView['layout'];
  readonly filter?: string | null;
  readonly options?: Readonly<Record<string, unknown>> | null;
  readonly default?: boolean | null;
}
interface BoardRecord extends Poster {
  readonly title: string;
  readonly description?: string | null;
  readonly state?: 'open' | 'closed' | null;
  readonly template_type?: SourceProject['template'] | null;
  readonly card_type?: SourceProject['cardType'] | null;
  readonly created?: string | null;
  readonly updated?: string | null;
  readonly closed?: string | null;
  readonly columns?: readonly ColumnRecord[] | null;
  readonly fields?: readonly FieldRecord[] | null;
  readonly views?: readonly ViewRecord[] | null;
  readonly rules?: SourceProject['rules'] | null;
  readonly cards?: readonly CardRecord[] | null;
}
interface MoreCardsRecord {
  readonly continues: true;
  readonly cards: readonly CardRecord[];
}
type ProjectRecord = BoardRecord | MoreCardsRecord;

const columnNumber = Joi.number().integer().min(0).required();
const list = (items: Joi.Schema) => Joi.array().items(items).allow(null);
const cards = list(
  Joi.object<CardRecord>({
    issue: Joi.number().integer().min(1).required(),
    column: columnNumber,
    archived: flag,
    values: list(
      Joi.object({
        field: Joi.string().allow('').required(),
        value: Joi.alternatives(Joi.string().allow(''), Joi.number().unsafe()).required(),
      }),
    ),
  }),
);
const option = Joi.object({ title: Joi.string().allow('').required(), color: text, starts_on: text, days: id });
const boardKeys = {
  title: Joi.string().allow('').required(),
  ...posterKeys,
  description: text,
  state: Joi.string().valid('open', 'closed').allow(null),
  template_type: text,
  card_type: text,
  created: time,
  updated: time,
  closed: time,
  columns: list(
    Joi.object<ColumnRecord>({ title: Joi.string().allow('').required(), color: text, default: flag, card_limit: id }),
  ),
  fields: list(
    Joi.object<FieldRecord>({
      name: Joi.string().allow('').required(),
      kind: Joi.string().required(),
      options: list(option),
    }),
  ),
  views: list(
    Joi.object<ViewRecord>({
      title: Joi.string().allow('').required(),
      layout: Joi.string().required(),
      filter: text,
      options: Joi.object().unknown().allow(null),
      default: flag,
    }),
  ),
  rules: list(Joi.object({ event: Joi.string().required(), column: columnNumber })),
  cards,
};

export const boardSchema = Joi.object<BoardRecord>(boardKeys);
export const moreCardsSchema = Joi.object<MoreCardsRecord>({ continues: Joi.valid(true).required(), cards });

export const isContinued = (document: unknown): boolean =>
  typeof document === 'object' && document !== null && 'continues' in document && document.continues === true;

/** Cards and values of one element of the list, so that each can be read at once; and their characters. */
const maxPieces = 20_000;
const maxCharacters = 1_000_000;

function* cardPieces(all: readonly SourceProjectCard[]): Generator<CardRecord[]> {
  let [piece, count, characters]: [CardRecord[], number, number] = [[], 0, 0];
  for (const { issue, column, isArchived, values = [] } of all) {
    piece.push({ issue, column, ...(isArchived && { archived: true }), ...(values.length && { values }) });
    count += 1 + values.length;
    for (const { value } of values) characters += String(value).length;
    if (count < maxPieces && characters < maxCharacters) continue;
    yield piece;
    [piece, count, characters] = [[], 0, 0];
  }
  if (piece.length) yield piece;
}

/** The elements of the list for one board. */
export function projectToRecords(project: SourceProject): ProjectRecord[] {
  const { creator, columns, fields = [], views = [], rules = [] } = project;
  const [first = [], ...more] = [...cardPieces(project.cards)];
  return [
    {
      title: project.title,
      description: project.description,
      state: project.isClosed ? 'closed' : 'open',
      ...(project.template && { template_type: project.template }),
      ...(project.cardType && { card_type: project.cardType }),
      ...(creator && posterOf(creator)),
      created: timeOut(project.createdAt),
      updated: timeOut(project.updatedAt),
      closed: project.isClosed ? timeOut(project.closedAt) : null,
      columns: columns.map(({ title, color = '', isDefault = false, cardLimit = 0 }) => ({
        title,
        color: color.replace(/^#/, ''),
        default: isDefault,
        card_limit: cardLimit,
      })),
      fields: fields.map(({ name, kind, options = [] }) => ({
        name,
        kind,
        options: options.map(({ title, color = '', startsOn = '', days = 0 }) => ({
          title,
          color: color.replace(/^#/, ''),
          ...(kind === 'iteration' && { starts_on: startsOn, days }),
        })),
      })),
      views: views.map(({ title, layout, filter, options, isDefault = false }) => ({
        title,
        layout,
        filter,
        options,
        default: isDefault,
      })),
      rules,
      cards: first,
    },
    ...more.map((piece) => ({ continues: true as const, cards: piece })),
  ];
}

/** Without its cards. `number`: in the order of the file. */
export const projectOfRecord = (record: BoardRecord, number: number): Omit<SourceProject, 'cards'> => ({
  id: String(number),
  title: record.title,
  description: record.description ?? '',
  isClosed: record.state === 'closed',
  ...(record.template_type && { template: record.template_type }),
  ...(record.card_type && { cardType: record.card_type }),
  ...(record.poster_name && { creator: userOfPoster(record) }),
  createdAt: timeIn(record.created),
  updatedAt: timeIn(record.updated),
  closedAt: timeIn(record.closed),
  columns: (record.columns ?? []).map(({ title, color, default: isDefault, card_limit: cardLimit }) => ({
    title,
    color: color ?? '',
    isDefault: isDefault === true,
    cardLimit: cardLimit ?? 0,
  })),
  fields: (record.fields ?? []).map(({ name, kind, options }) => ({
    name,
    kind,
    options: (options ?? []).map(({ title, color, starts_on: startsOn, days }) => ({
      title,
      color: color ?? '',
      startsOn: startsOn ?? '',
      days: days ?? 0,
    })),
  })),
  views: (record.views ?? []).map(({ title, layout, filter, options, default: isDefault }) => ({
    title,
    layout,
    filter: filter ?? '',
    options: options ?? {},
    isDefault: isDefault === true,
  })),
  rules: record.rules ?? [],
});

export const cardsOfRecord = (records: readonly CardRecord[] | null | undefined): SourceProjectCard[] =>
  (records ?? []).map(({ issue, column, archived, values }) => ({
    issue,
    column,
    isArchived: archived === true,
    values: (values ?? []).slice(0, projectLimits.fields).map(({ field, value }) => ({
      field,
      value: typeof value === 'string' ? value.slice(0, projectLimits.textValue) : value,
    })),
  }));
