import type { IssueField, RequestBody, Schemas } from './field.js';
import { allFields, type pullFields } from './index.js';

type Field = (typeof allFields)[number];
type PullField = (typeof pullFields)[number];
type RecordsOf<F extends IssueField> = { [One in F as One['record']['name']]: ReturnType<One['record']['of']> };

/** As `Issue` has them. */
export type FieldValues = { readonly [One in Field as One['name']]: One['empty'] };
/** As the table has them. */
export type FieldColumns = { [One in Field as One['column']]: One['empty'] };
/** As the record of an issue over the API has them, and that of a pull request. */
export type FieldRecords = RecordsOf<Field>;
export type PullFieldRecords = RecordsOf<PullField>;

/** The list without what each of them knows of its own types. */
export const fields: readonly IssueField[] = allFields;
/** Those that pages have a control for. */
export const formFields = fields.flatMap(({ name, form }) => (form ? [{ name, form }] : []));

const mapped = <Values>(
  list: readonly IssueField[],
  key: (field: IssueField) => string,
  value: (field: IssueField) => unknown,
) => Object.fromEntries(list.map((field) => [key(field), value(field)])) as Values;

/** What an issue, or what makes or changes one, has of a field; its empty value where there is nothing. */
export const fieldValue = (values: Partial<FieldValues>, { name, empty }: Pick<IssueField, 'name' | 'empty'>) =>
  (values as Readonly<Record<string, number | string | undefined>>)[name] ?? empty;

/** Drivers give large numbers as texts. */
export const fieldValues = (row: FieldColumns): FieldValues =>
  mapped<FieldValues>(
    fields,
    ({ name }) => name,
    ({ column, empty }) => {
      const stored = (row as Readonly<Record<string, number | string>>)[column];
      return typeof empty === 'number' ? Number(stored) : stored;
    },
  );

/** For a new row; what is not given is empty. */
export const fieldColumns = (values: Partial<FieldValues>): FieldColumns =>
  mapped<FieldColumns>(
    fields,
    ({ column }) => column,
    (field) => fieldValue(values, field),
  );

export const fieldRecords = (values: Partial<FieldValues>): FieldRecords =>
  mapped<FieldRecords>(
    fields,
    ({ record }) => record.name,
    (field) => field.record.of(fieldValue(values, field)),
  );

export const recordSchemas = (list: readonly IssueField[] = fields): Schemas =>
  mapped<Schemas>(
    list,
    ({ record }) => record.name,
    ({ record }) => record.schema,
  );

/** Properties of the body of a request. */
export const optionSchemas = (request: 'create' | 'edit', list: readonly IssueField[] = fields): Schemas =>
  Object.assign({}, ...list.map(({ options }) => options?.[request])) as Schemas;

/** What the body of a request sets of them, as far as its sender may: authors some, those who may write all. */
export function readOptions(
  body: RequestBody,
  request: 'create' | 'edit',
  mayWrite: boolean,
  list: readonly IssueField[] = fields,
): Partial<FieldValues> {
  const given = list.flatMap(({ name, options }) => {
    // what is wrong is refused whoever sent it
    const value = options?.read(body, request);
    const isAllowed = mayWrite || (request === 'create' && options?.isForAuthors);
    return value !== undefined && isAllowed ? [[name, value]] : [];
  });
  return Object.fromEntries(given) as Partial<FieldValues>;
}

/** Those among the properties of something else that are fields. */
export const pickFields = (values: Partial<FieldValues>): Partial<FieldValues> =>
  Object.fromEntries(
    Object.entries(values).filter(([key, value]) => value !== undefined && fields.some(({ name }) => name === key)),
  );
