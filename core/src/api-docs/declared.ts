import type { Route } from '@mortise/plugin-sdk';
import { isFields, rewritten, type Fields } from './rewrite.js';
import type { SwaggerDocument } from './shapes.js';

/** What Swagger 2.0 has no word for, or hapi-swagger leaves out, of one field. */
interface Hidden {
  readonly nullable: boolean;
  /** One of several values, and the empty text is among them. */
  readonly mayBeEmpty: boolean;
}

type Models = Map<string, Map<string, Hidden>>;

interface Inside {
  readonly type?: string;
  readonly _flags: { readonly label?: string; readonly only?: boolean };
  readonly _valids: { has(value: unknown): boolean } | null;
  readonly $_terms: {
    readonly keys?: readonly { readonly key: string; readonly schema: Inside }[] | null;
    readonly items?: readonly Inside[];
    readonly matches?: readonly { readonly schema?: Inside }[];
  };
}

/**
 * Clients that are made from the documents refuse an answer that does not fit them (DOC-06). So each field that may be
 * null says so and is not required, one that may be empty is no enumeration, and times are known as times.
 */
export function completeModels(document: SwaggerDocument, routes: readonly Route[]): void {
  const models: Models = new Map();
  for (const { request, responses } of routes)
    for (const schema of [request?.payload, ...Object.values(responses ?? {})])
      if (schema) collect(schema as unknown as Inside, models);
  const definitions = (document.definitions ?? {}) as Record<string, Fields>;
  document.definitions = Object.fromEntries(
    Object.entries(definitions).map(([name, model]) => [name, completed(plain(model), models.get(name))]),
  ) as SwaggerDocument['definitions'];
  document.paths = withFiles(plain(document.paths)) as SwaggerDocument['paths'];
}

function collect(schema: Inside, models: Models): void {
  const { keys, items, matches } = schema.$_terms;
  const label = schema._flags.label;
  for (const { key, schema: field } of keys ?? []) {
    if (label) note(models, label, key, field);
    collect(field, models);
  }
  for (const item of items ?? []) collect(item, models);
  for (const match of matches ?? []) if (match.schema) collect(match.schema, models);
}

function note(models: Models, model: string, key: string, field: Inside): void {
  const fields = models.get(model) ?? new Map<string, Hidden>();
  models.set(model, fields);
  const before = fields.get(key);
  fields.set(key, {
    nullable: (before?.nullable ?? false) || (field._valids?.has(null) ?? false),
    mayBeEmpty: (before?.mayBeEmpty ?? false) || Boolean(field._flags.only && field._valids?.has('')),
  });
}

function completed(model: unknown, hidden: ReadonlyMap<string, Hidden> | undefined): unknown {
  if (!isFields(model) || !isFields(model.properties) || !hidden) return model;
  const properties = Object.fromEntries(
    Object.entries(model.properties).map(([key, property]) => [key, told(property as Fields, hidden.get(key))]),
  );
  const { required, ...rest } = model;
  const always = ((required as string[] | undefined) ?? []).filter((key) => !hidden.get(key)?.nullable);
  return { ...rest, properties, ...(always.length > 0 ? { required: always } : {}) };
}

function told(property: Fields, hidden: Hidden | undefined): Fields {
  const told = hidden?.mayBeEmpty && Array.isArray(property.enum) ? spelled(property) : property;
  if (!hidden?.nullable) return told;
  // beside a reference nothing else counts, and null is a value of something that has a type (only objects are named)
  return '$ref' in told ? { type: 'object', allOf: [told], 'x-nullable': true } : { ...told, 'x-nullable': true };
}

/** An answer that is a file; the only place where Swagger 2.0 knows one. */
const withFiles = (paths: unknown): unknown =>
  rewritten(paths, (fields) =>
    isFields(fields.schema) && fields.schema.format === 'binary' && !('in' in fields)
      ? { ...fields, schema: { type: 'file' } }
      : fields,
  );

/** The values in words: an empty one among them is a name that generators cannot give. */
function spelled({ enum: values, ...property }: Fields): Fields {
  const words = `Empty or one of: ${(values as unknown[]).filter((value) => value !== '').join(', ')}`;
  const before = property.description as string | undefined;
  return { ...property, description: before ? `${before} (${words})` : words };
}

const plain = (value: unknown): unknown => withNames(withTimes(value));

/** Of an object with any names (`pattern`), hapi-swagger makes one with a field that is called `string`. */
const withNames = (value: unknown): unknown =>
  rewritten(value, (fields) => {
    const { properties, required: _required, ...rest } = fields;
    return fields.type === 'object' && isFields(properties) && Object.keys(properties).join() === 'string'
      ? { ...rest, additionalProperties: properties.string }
      : fields;
  });

/** hapi-swagger tells of times in words of its own. */
const withTimes = (value: unknown): unknown =>
  rewritten(value, (fields) => {
    const { 'x-format': format, ...rest } = fields;
    return isFields(format) && format.isoDate && rest.type === 'string' ? { ...rest, format: 'date-time' } : fields;
  });
