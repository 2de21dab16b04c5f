import { createHash } from 'node:crypto';
import { apiTime, isJsonObject, Problem } from '@mortise/plugin-sdk';
import { basePath } from './token-method.js';
import { scimProblem } from './scim-problem.js';

export type Json = Readonly<Record<string, unknown>>;

export const userSchemaId = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const groupSchemaId = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const listSchemaId = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';

/** A user or group as the protocol has it (RFC 7643, 3.1). */
export interface Resource {
  readonly schemas: readonly string[];
  readonly id: string;
  readonly meta: {
    readonly resourceType: 'User' | 'Group';
    readonly created: string;
    readonly lastModified: string;
    readonly location: string;
    /** A weak entity tag: changes with everything that the answer tells. */
    readonly version: string;
  };
}

interface ResourceFields {
  readonly type: 'User' | 'Group';
  readonly id: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Absent ones are not told. */
  readonly attributes: Json;
}

/** `url`: whole address of a path of this site. */
export function toResource(
  { type, id, createdAt, updatedAt, attributes }: ResourceFields,
  url: (path: string) => string,
): Resource & Json {
  const told = Object.fromEntries(
    Object.entries(attributes).filter(([, value]) => value !== undefined && value !== ''),
  );
  const resource = { schemas: [type === 'User' ? userSchemaId : groupSchemaId], id: String(id), ...told };
  const hash = createHash('sha256').update(JSON.stringify(resource)).digest('base64url').slice(0, 22);
  return {
    ...resource,
    meta: {
      resourceType: type,
      created: apiTime(createdAt),
      lastModified: apiTime(Math.max(createdAt, updatedAt)),
      location: url(`${basePath}/${type}s/${id}`),
      version: `W/"${hash}"`,
    },
  };
}

/** RFC 7644, 3.14: 412 where the client has seen another version than this one. */
export function checkVersion(ifMatch: string | undefined, { meta }: Pick<Resource, 'meta'>): void {
  const seen = ifMatch?.split(',').map((one) => one.trim());
  if (seen && !seen.includes('*') && !seen.includes(meta.version))
    throw new Problem('precondition_failed', 'The resource has changed since it was read.');
}

const namesIn = (list: string): readonly string[] =>
  list
    .split(',')
    .map((name) =>
      name
        .trim()
        .toLowerCase()
        .replace(/^urn:.*:(?=[^:]+$)/, ''),
    )
    .filter(Boolean);

/** Names of attributes, by commas. */
interface Projection {
  readonly attributes?: string | undefined;
  readonly excludedAttributes?: string | undefined;
}

/** Only what a client asks for (RFC 7644, 3.9); `id` and `schemas` are always returned. */
export function projected(resource: Json, { attributes = '', excludedAttributes = '' }: Projection): Json {
  const wanted = namesIn(attributes);
  const unwanted = namesIn(excludedAttributes);
  if (wanted.length === 0 && unwanted.length === 0) return resource;
  const isReturned = (name: string, parent?: string): boolean => {
    const path = (parent ? `${parent}.${name}` : name).toLowerCase();
    if (['id', 'schemas'].includes(path)) return true;
    if (wanted.length === 0) return !unwanted.includes(path);
    const isNamed = wanted.includes(path) || (parent !== undefined && wanted.includes(parent.toLowerCase()));
    return isNamed || (!parent && wanted.some((one) => one.startsWith(`${path}.`)));
  };
  const partOf = (value: unknown, parent: string): unknown => {
    if (Array.isArray(value)) return value.map((one) => partOf(one, parent));
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value).filter(([name]) => isReturned(name, parent)));
  };
  return Object.fromEntries(
    Object.entries(resource)
      .filter(([name]) => isReturned(name))
      .map(([name, value]) => [name, partOf(value, name)]),
  );
}

/** A page of a list (RFC 7644, 3.4.2.4). */
export interface ListQuery {
  readonly filter: string;
  /** From 1. */
  readonly startIndex: number;
  readonly count: number;
}

export const listResponse = (resources: readonly Json[], total: number, startIndex: number): Json => ({
  schemas: [listSchemaId],
  totalResults: total,
  startIndex,
  itemsPerPage: resources.length,
  Resources: resources,
});

/** The names of attributes whatever their case (RFC 7643, 2.1); what is null or an empty list is absent. */
export function withPlainNames(given: unknown, names: ReadonlyMap<string, string>): Json {
  if (!isJsonObject(given)) throw scimProblem('invalidSyntax', 'The request body must be a JSON object.');
  const part = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(part);
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value)
        .filter(([, one]) => one !== null && !(Array.isArray(one) && one.length === 0))
        .map(([name, one]) => [names.get(name.toLowerCase()) ?? name, part(one)]),
    );
  };
  return part(given) as Json;
}

export const nameMap = (...names: readonly string[]): ReadonlyMap<string, string> =>
  new Map(names.map((name) => [name.toLowerCase(), name]));
