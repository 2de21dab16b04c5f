import type { ImportedField } from '../api.js';
import type { FieldValue, ProjectField, ProjectView } from '../contract/fields.js';
import type { ImportedView, ProjectCard } from '../contract/projects.js';

/** Fields with what cards have in them, by the issues of the cards: ids of cards and options mean nothing elsewhere. */
export const exportedFields = (
  fields: readonly ProjectField[],
  cards: readonly ProjectCard[],
  values: ReadonlyMap<number, readonly FieldValue[]>,
): ImportedField[] =>
  fields.map(({ id, name, kind, options }) => ({
    name,
    kind,
    options: options.map(({ id: _id, ...option }) => option),
    values: cards.flatMap((card) => {
      const fieldValue = values.get(card.id)?.find(({ fieldId }) => fieldId === id);
      return fieldValue ? [{ issueId: card.issueId, value: fieldValue.value }] : [];
    }),
  }));

const fieldOptions: readonly string[] = ['sort', 'group'];
const byId = 'field-';
const byName = 'field:';

type Options = ProjectView['options'];

const mapOptions = (options: Options, change: (value: string) => string | undefined): Options =>
  Object.fromEntries(
    Object.entries(options).flatMap(([name, value]) => {
      const changed = fieldOptions.includes(name) && typeof value === 'string' ? change(value) : value;
      return changed === undefined ? [] : [[name, changed]];
    }),
  );

/** Views that name fields by their names. */
export const exportedViews = (views: readonly ProjectView[], fields: readonly ProjectField[]): ImportedView[] =>
  views.map(({ title, layout, filter, options, isDefault }) => ({
    title,
    layout,
    filter,
    options: mapOptions(options, (value) => {
      if (!value.startsWith(byId)) return value;
      const field = fields.find(({ id }) => value === `${byId}${id}`);
      return field && `${byName}${field.name}`;
    }),
    isDefault,
  }));

/** The same by the ids that the fields have here; what the board does not have is left out. */
export const importedOptions = (options: Options, fields: readonly ProjectField[]): Options =>
  mapOptions(options, (value) => {
    if (!value.startsWith(byName)) return value;
    const field = fields.find(({ name }) => value === `${byName}${name}`);
    return field && `${byId}${field.id}`;
  });
