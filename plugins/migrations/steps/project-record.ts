/** A board of a source, which may be anything, as this site takes boards; and how much of it is left out. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  projectLimits,
  ruleEvents,
  viewLayouts,
  type ImportedField,
  type ImportedProject,
} from '@mortise/projects/api';
import type { SourceProject, SourceProjectCard, SourceProjectField } from '../contract/records.js';
import { cleanColor, cleanLine, cleanList, cleanText, cleanTime } from '../services/sanitize.js';

const kinds = ['text', 'number', 'date', 'single_select', 'iteration'] as const;
const templates = ['none', 'basic_kanban', 'bug_triage'] as const;
const cardTypes = ['text_only', 'images_and_text'] as const;

type Value = string | number;
type IssueIdOf = (number: number) => number | undefined;
type Options = NonNullable<ImportedField['options']>;

export const titleOf = ({ title, id }: Pick<SourceProject, 'title' | 'id'>): string =>
  cleanLine(title, projectLimits.title) || `Project ${cleanLine(id, 40)}`;

/** What is left out of one board, by what it is. */
class Omitted {
  readonly counts = new Map<string, number>();

  add(what: string, count = 1): void {
    if (count > 0) this.counts.set(what, (this.counts.get(what) ?? 0) + count);
  }

  /** The first of a list. */
  first<T>(what: string, all: readonly T[] | undefined, max: number): readonly T[] {
    const taken = cleanList(all, max);
    this.add(what, (Array.isArray(all) ? all.length : 0) - taken.length);
    return taken;
  }
}

/** Cards that are looked at before others have their turn: each may have a value in 50 fields. */
const cardsPerTurn = 100;

/** Gives way to others between some cards and the next. */
async function* chunksOf(cards: readonly SourceProjectCard[]): AsyncGenerator<readonly SourceProjectCard[]> {
  for (let first = 0; first < cards.length; first += cardsPerTurn) {
    if (first) await nextTurn();
    yield cards.slice(first, first + cardsPerTurn);
  }
}

export interface CleanProject {
  readonly project: ImportedProject;
  /** How much was left out, by what it is. */
  readonly omitted: ReadonlyMap<string, number>;
}

export async function cleanProject(project: SourceProject, issueIdOf: IssueIdOf): Promise<CleanProject> {
  const omitted = new Omitted();
  const isClosed = project.isClosed === true;
  const createdAt = cleanTime(project.createdAt, Date.now());
  const updatedAt = cleanTime(project.updatedAt, createdAt);
  const template = templates.find((one) => one === project.template);
  const cardType = cardTypes.find((one) => one === project.cardType);
  const columns = await columnsOf(project, issueIdOf, omitted);
  const cleaned = {
    title: titleOf(project),
    description: cleanText(project.description, projectLimits.description),
    isClosed,
    createdAt,
    updatedAt,
    ...(isClosed && { closedAt: cleanTime(project.closedAt, updatedAt) }),
    ...(template && { template }),
    ...(cardType && { cardType }),
    columns,
    fields: await fieldsOf(
      project,
      new Set(columns.flatMap((column) => [...column.issueIds, ...column.archivedIssueIds])),
      issueIdOf,
      omitted,
    ),
    views: viewsOf(project, omitted),
    rules: rulesOf(project, columns.length, omitted),
  };
  return { project: cleaned, omitted: omitted.counts };
}

const colorOf = (color: string | undefined): string => (color ? `#${cleanColor(color)}` : '');

async function columnsOf(project: SourceProject, issueIdOf: IssueIdOf, omitted: Omitted) {
  const columns = omitted.first('columns', project.columns, projectLimits.columns).map((column, at) => ({
    title: cleanLine(column.title, projectLimits.columnTitle) || `Column ${at + 1}`,
    color: colorOf(column.color),
    isDefault: column.isDefault === true,
    cardLimit: limitOf(column.cardLimit),
    issueIds: [] as number[],
    archivedIssueIds: [] as number[],
  }));
  const present = new Set<number>();
  const take = (card: SourceProjectCard) => {
    const column = columns[card.column];
    const issueId = issueIdOf(card.issue);
    if (issueId === undefined) omitted.add('cards of issues that were not imported');
    else if (!column) omitted.add('cards of columns that are not there');
    else if (present.size >= projectLimits.cards && !present.has(issueId))
      omitted.add(`cards beyond ${projectLimits.cards}`);
    else if (!present.has(issueId)) {
      present.add(issueId);
      (card.isArchived === true ? column.archivedIssueIds : column.issueIds).push(issueId);
    }
  };
  for await (const cards of chunksOf(cleanList(project.cards, Number.POSITIVE_INFINITY))) cards.forEach(take);
  return columns;
}

const limitOf = (limit: number | undefined): number =>
  limit !== undefined && Number.isSafeInteger(limit) && limit > 0 ? Math.min(limit, projectLimits.cards) : 0;

async function fieldsOf(
  project: SourceProject,
  onBoard: ReadonlySet<number>,
  issueIdOf: IssueIdOf,
  omitted: Omitted,
): Promise<ImportedField[]> {
  const names = new Set<string>();
  const byName = new Map<string, ImportedField & { readonly values: { issueId: number; value: Value }[] }>();
  const readers = new Map<string, (value: unknown) => Value | undefined>();
  for (const [at, field] of omitted.first('fields', project.fields, projectLimits.fields).entries()) {
    const kind = kinds.find((one) => one === field.kind);
    if (!kind || byName.has(field.name)) {
      omitted.add('fields');
      continue;
    }
    const name = uniqueName(field.name, names, `Field ${at + 1}`);
    const { options, titles } = optionsOf(field, omitted);
    byName.set(field.name, { name, kind, ...(options.length && { options }), values: [] });
    readers.set(field.name, (value) => valueOf(kind, value, titles));
  }
  const filled = new Set<string>();
  const take = (card: SourceProjectCard) => {
    const issueId = issueIdOf(card.issue);
    if (issueId === undefined || !onBoard.has(issueId)) return;
    for (const { field, value } of omitted.first('values', card.values, projectLimits.fields)) {
      const cleaned = readers.get(field)?.(value);
      if (cleaned === undefined) {
        omitted.add('values');
        continue;
      }
      const key = `${issueId} ${field}`;
      if (!filled.has(key)) byName.get(field)!.values.push({ issueId, value: cleaned });
      filled.add(key);
    }
  };
  for await (const cards of chunksOf(cleanList(project.cards, Number.POSITIVE_INFINITY))) cards.forEach(take);
  return [...byName.values()];
}

/** Names and titles differ in more than their case here. */
function uniqueName(given: string, taken: Set<string>, otherwise: string): string {
  const max = projectLimits.fieldName;
  const name = cleanLine(given, max) || otherwise;
  let unique = name;
  for (let number = 2; taken.has(unique.toLowerCase()); number++)
    unique = `${name.slice(0, max - 6).toWellFormed()} (${number})`;
  taken.add(unique.toLowerCase());
  return unique;
}

/** Options, and their titles here by those at the source. */
function optionsOf(field: SourceProjectField, omitted: Omitted) {
  const titles = new Map<string, string>();
  const taken = new Set<string>();
  const options: Options[number][] = [];
  if (field.kind !== 'single_select' && field.kind !== 'iteration') return { options, titles };
  for (const [at, option] of omitted.first('options', field.options, projectLimits.options).entries()) {
    const { startsOn = '', days = 0 } = option;
    const isIteration = field.kind === 'iteration';
    const hasDays = Number.isSafeInteger(days) && days > 0 && days <= projectLimits.iterationDays;
    if (titles.has(option.title) || (isIteration && !(isDay(startsOn) && hasDays))) {
      omitted.add('options');
      continue;
    }
    const title = uniqueName(option.title, taken, `Option ${at + 1}`);
    titles.set(option.title, title);
    options.push({
      title,
      color: colorOf(option.color),
      startsOn: isIteration ? startsOn : '',
      days: isIteration ? days : 0,
    });
  }
  return { options, titles };
}

/** A day that the calendar has, as `2026-01-31`. */
function isDay(text: unknown): text is string {
  const time =
    typeof text === 'string' && /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text as string);
}

/** Undefined for what the field cannot hold. */
function valueOf(kind: SourceProjectField['kind'], value: unknown, titles: ReadonlyMap<string, string>) {
  if (kind === 'number') {
    const isNumber = typeof value === 'number' && Math.abs(value) <= projectLimits.numberValue;
    return isNumber ? value : undefined;
  }
  if (kind === 'date') return isDay(value) ? value : undefined;
  const text = isPlain(value) ? String(value) : '';
  if (kind === 'text') return cleanLine(text, projectLimits.textValue) || undefined;
  return titles.get(text);
}

function viewsOf({ views }: SourceProject, omitted: Omitted): NonNullable<ImportedProject['views']> {
  return omitted.first('views', views, projectLimits.views).map((view, at) => {
    const options = optionsOfView(view.options);
    const fits = JSON.stringify(options).length <= projectLimits.viewOptions;
    if (!fits) omitted.add('options of views');
    return {
      title: cleanLine(view.title, projectLimits.viewTitle) || `View ${at + 1}`,
      layout: viewLayouts.find((one) => one === view.layout) ?? 'columns',
      filter: cleanLine(view.filter, projectLimits.viewFilter),
      options: fits ? options : {},
      isDefault: view.isDefault === true,
    };
  });
}

const maxEntries = 100;
const isPlain = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);

/** Without characters that databases and pages do not take. */
const cleanValue = (value: unknown): unknown =>
  typeof value === 'string' ? cleanText(value, projectLimits.viewOptions) : value;

/** Plain values and lists of them: nothing that is nested deeper. */
function optionsOfView(options: unknown): Record<string, unknown> {
  const entries = typeof options === 'object' && options !== null ? Object.entries(options) : [];
  return Object.fromEntries(
    entries.slice(0, maxEntries).flatMap(([name, value]) => {
      const key = cleanLine(name);
      if (isPlain(value)) return [[key, cleanValue(value)]];
      const isPlainList = Array.isArray(value) && value.length <= maxEntries && value.every(isPlain);
      return isPlainList ? [[key, value.map(cleanValue)]] : [];
    }),
  );
}

function rulesOf({ rules }: SourceProject, columns: number, omitted: Omitted): NonNullable<ImportedProject['rules']> {
  const byEvent = new Map<(typeof ruleEvents)[number], number>();
  for (const rule of omitted.first('rules', rules, maxEntries)) {
    const event = ruleEvents.find((one) => one === rule.event);
    if (event && Number.isSafeInteger(rule.column) && rule.column >= 0 && rule.column < columns)
      byEvent.set(event, rule.column);
    else omitted.add('rules');
  }
  return [...byEvent].map(([event, column]) => ({ event, column }));
}
