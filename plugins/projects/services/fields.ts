import { Invalid, NotFound, type Database } from '@mortise/plugin-sdk';
import { projectLimits } from '../api.js';
import type { FieldKind, FieldOption, FieldValue, ProjectField } from '../contract/fields.js';
import type { ProjectCard } from '../contract/projects.js';
import { FieldRow } from '../models/field.js';
import { FieldOptionRow, toOption } from '../models/field-option.js';
import { FieldValueRow } from '../models/field-value.js';
import { t } from '../texts/index.js';
import { lockOpenProject } from './project-lock.js';
import { isDay, valueColumns } from './field-values.js';
import { isId } from './project-reader.js';
import { colorOf, titleOf } from './titles.js';

export const {
  fieldName: maxFieldName,
  fields: maxFields,
  options: maxOptions,
  iterationDays: maxDays,
} = projectLimits;

/** An option as people give it: one with an id stays what it is, with its cards. */
export type GivenOption = Partial<FieldOption> & Pick<FieldOption, 'title'>;

interface NewField {
  readonly name: string;
  readonly kind: FieldKind;
  readonly options?: readonly GivenOption[];
}

interface FieldChanges {
  readonly name?: string;
  /** All options in their order: those that are left out go, and the values of cards with them. */
  readonly options?: readonly GivenOption[];
}

/** One value of a card; null takes it away. */
export interface GivenValue {
  readonly fieldId: number;
  readonly value: string | number | null;
}

const hasOptions = (kind: FieldKind) => kind === 'single_select' || kind === 'iteration';

/** Fields that boards have of their own, and what cards have in them. Does not check permissions; callers must. */
export class FieldService {
  constructor(private readonly database: Database) {}

  /** In their order, with their options. */
  async list(projectId: number): Promise<ProjectField[]> {
    const fields = await this.database.query(FieldRow).where('project_id', projectId).orderBy('sorting').orderBy('id');
    const withOptions = fields.filter(({ kind }) => hasOptions(kind)).map(({ id }) => id);
    const options = withOptions.length
      ? await this.database.query(FieldOptionRow).whereIn('field_id', withOptions).orderBy('sorting').orderBy('id')
      : [];
    return fields.map(({ id, name, kind }) => ({
      id,
      projectId,
      name,
      kind,
      options: options.filter((one) => one.field_id === id).map(toOption),
    }));
  }

  /** NotFound for one of another board. */
  async of(projectId: number, id: number): Promise<ProjectField> {
    const field = isId(id) ? (await this.list(projectId)).find((one) => one.id === id) : undefined;
    if (!field) throw NotFound('field');
    return field;
  }

  create(projectId: number, given: NewField): Promise<ProjectField> {
    return this.database.write(async () => {
      await lockOpenProject(this.database, projectId);
      const present = await this.list(projectId);
      if (present.length >= maxFields) throw Invalid(t.later('error.tooManyFields', { max: maxFields }));
      const name = this.#freeName(given.name, present);
      const { id } = await this.database.query(FieldRow).insert({
        project_id: projectId,
        name,
        kind: given.kind,
        sorting: present.length,
        created_at: Date.now(),
      });
      await this.#setOptions({ id, projectId, name, kind: given.kind, options: [] }, given.options ?? []);
      return this.of(projectId, id);
    });
  }

  edit(projectId: number, id: number, { name, options }: FieldChanges): Promise<ProjectField> {
    return this.database.write(async () => {
      await lockOpenProject(this.database, projectId);
      const present = await this.list(projectId);
      const field = present.find((one) => one.id === id);
      if (!field) throw NotFound('field');
      if (name !== undefined) {
        const others = present.filter((one) => one.id !== id);
        await this.database
          .query(FieldRow)
          .findById(id)
          .patch({ name: this.#freeName(name, others) });
      }
      if (options) await this.#setOptions(field, options);
      return this.of(projectId, id);
    });
  }

  /** With what cards have in it. */
  delete(projectId: number, id: number): Promise<void> {
    return this.database.write(async () => {
      await lockOpenProject(this.database, projectId);
      await this.of(projectId, id);
      await this.database.query(FieldRow).deleteById(id);
    });
  }

  /** By the id of the card, in the order of the fields. */
  async values(fields: readonly ProjectField[], cardIds: readonly number[]): Promise<Map<number, FieldValue[]>> {
    const found = new Map<number, FieldValue[]>();
    if (!fields.length || !cardIds.length) return found;
    const rows = await this.database.query(FieldValueRow).whereIn('card_id', [...cardIds]);
    const order = new Map(fields.map((field, index) => [field.id, { field, index }]));
    const scope = (row: FieldValueRow) => order.get(row.field_id)?.index ?? 0;
    for (const row of rows.sort((one, other) => scope(one) - scope(other))) {
      const field = order.get(row.field_id)?.field;
      const option = field?.options.find(({ id }) => id === row.option_id);
      const value = option?.title ?? row.text_value ?? row.number_value;
      if (!field || value === null) continue;
      const values = found.get(row.card_id) ?? [];
      values.push({ fieldId: field.id, value, optionId: option?.id ?? 0 });
      found.set(row.card_id, values);
    }
    return found;
  }

  /** In the caller's transaction, with the board locked. Invalid for a field of another board, and for what it cannot hold. */
  async setValues(card: ProjectCard, given: readonly GivenValue[]): Promise<void> {
    const fields = new Map((await this.list(card.projectId)).map((field) => [field.id, field]));
    for (const { fieldId, value } of given) {
      const field = fields.get(fieldId);
      if (!field) throw Invalid(t.later('error.foreignField', { id: fieldId }));
      const key = { card_id: card.id, field_id: fieldId };
      if (value === null || value === '') {
        await this.database.query(FieldValueRow).delete().where(key);
        continue;
      }
      const columns = valueColumns(field, value);
      const present = await this.database.query(FieldValueRow).findOne(key);
      if (present) await this.database.query(FieldValueRow).findById(present.id).patch(columns);
      else await this.database.query(FieldValueRow).insert({ ...key, ...columns });
    }
  }

  #freeName(given: string, others: readonly ProjectField[]): string {
    const name = titleOf(given, maxFieldName);
    if (others.some((one) => one.name.toLowerCase() === name.toLowerCase()))
      throw Invalid(t.later('error.fieldName', { name }));
    return name;
  }

  async #setOptions(field: ProjectField, given: readonly GivenOption[]): Promise<void> {
    if (given.length && !hasOptions(field.kind)) throw Invalid(t.later('error.noOptions', { field: field.name }));
    if (given.length > maxOptions) throw Invalid(t.later('error.tooManyOptions', { max: maxOptions }));
    const known = new Set(field.options.map(({ id }) => id));
    const rows = given.map((one, index) => ({ id: one.id, ...this.#optionColumns(field, one, index) }));
    const titles = rows.map(({ title }) => title.toLowerCase());
    const twice = rows.find((_, index) => titles.indexOf(titles[index]!) !== index);
    if (twice) throw Invalid(t.later('error.optionTwice', { title: twice.title }));
    const kept = rows.flatMap(({ id }) => id ?? []);
    const foreign = kept.find((id, index) => !known.has(id) || kept.indexOf(id) !== index);
    if (foreign !== undefined) throw Invalid(t.later('error.foreignOption', { id: foreign }));
    await this.database.query(FieldOptionRow).delete().where('field_id', field.id).whereNotIn('id', kept);
    for (const { id, ...columns } of rows)
      if (id === undefined) await this.database.query(FieldOptionRow).insert({ field_id: field.id, ...columns });
      else await this.database.query(FieldOptionRow).findById(id).patch(columns);
  }

  #optionColumns({ kind }: ProjectField, { title, color = '', startsOn = '', days = 0 }: GivenOption, sorting: number) {
    const isIteration = kind === 'iteration';
    if (isIteration && (!isDay(startsOn) || days < 1 || days > maxDays))
      throw Invalid(t.later('error.iteration', { max: maxDays }));
    return {
      title: titleOf(title, maxFieldName),
      color: colorOf(color),
      sorting,
      starts_on: isIteration ? startsOn : '',
      days: isIteration ? days : 0,
    };
  }
}
