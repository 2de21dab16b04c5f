import { isJsonObject, Joi } from '@mortise/plugin-sdk';
import type { ScimPatchOperation, ScimResource } from 'scim-patch';
import { scimProblem, type ScimType } from './scim-problem.js';
import type { Json } from './representation.js';

const patchSchemaId = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const maxOperations = 1000;
/** In the lists of all operations together: the library compares each with each. */
const maxListed = 1000;

interface Operation {
  readonly op: string;
  readonly path?: string;
  readonly value?: unknown;
}

/** The body of a PATCH (RFC 7644, 3.5.2). */
export interface PatchBody {
  readonly schemas: readonly string[];
  readonly Operations: readonly Operation[];
}

export const patchSchema = Joi.object<PatchBody>({
  schemas: Joi.array().items(Joi.string()).has(Joi.string().valid(patchSchemaId)).required(),
  Operations: Joi.array()
    .items(
      Joi.object({
        op: Joi.string().lowercase().valid('add', 'remove', 'replace').required(),
        path: Joi.string().max(500),
        value: Joi.any(),
      }),
    )
    .min(1)
    .max(maxOperations)
    .required(),
})
  .label('PatchOp')
  .unknown();

/** `attribute`, `attribute.sub`, `attribute[filter]`, `attribute[filter].sub`, each perhaps behind the id of its schema. */
const pathForm = /^(?:(urn:[\w.:-]+):)?([A-Za-z][\w$-]*)((?:\[[^[\]]+\])?)((?:\.[A-Za-z$][\w$-]*)?)$/;
/** What objects inherit is no attribute. */
const inherited = new Set(['__proto__', 'constructor', 'prototype']);

const nothingThere = ['noTarget', 'A path names nothing that the resource has.'] as const;

/** By the names of the classes of the library's errors. */
const refusals: Readonly<Record<string, readonly [ScimType, string]>> = {
  NoTarget: nothingThere,
  FilterOnEmptyArray: nothingThere,
  FilterArrayTargetNotFound: nothingThere,
  InvalidScimPatchOp: ['invalidPath', 'A path cannot be used with its operation and value.'],
  NoPathInScimPatchOp: ['noTarget', 'What is removed needs a path.'],
};

interface Attributes {
  /** By their names in lower case. */
  readonly names: ReadonlyMap<string, string>;
  /** Id of the schema of the resource. */
  readonly schemaId: string;
}

/**
 * What becomes of a resource by the operations; nothing is changed where one of them fails. Attributes that the resource
 * does not have are passed over, as in the body of a PUT.
 *
 * @throws problems of the types `invalidPath`, `noTarget`, `invalidValue`, `invalidSyntax`, `tooMany`
 */
export async function patched(
  resource: Json,
  operations: PatchBody['Operations'],
  attributes: Attributes,
): Promise<Json> {
  if (operations.reduce((sum, { value }) => sum + countListed(value), 0) > maxListed)
    throw scimProblem('tooMany', `A request lists at most ${maxListed} values.`);
  const { scimPatch } = await import('scim-patch');
  const checked = operations.flatMap((one) => checkedOperation(one, attributes) ?? []);
  try {
    const document = structuredClone(resource) as unknown as ScimResource;
    return scimPatch(document, checked, { mutateDocument: true, treatMissingAsAdd: true }) as unknown as Json;
  } catch (error) {
    const { constructor } = error as Error;
    const [type, detail] = refusals[constructor.name] ?? ['invalidSyntax', 'The operations cannot be applied.'];
    throw scimProblem(type, detail);
  }
}

function countListed(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + 1 + countListed(one), 0);
  if (!isJsonObject(value)) return 0;
  return Object.values(value).reduce<number>((sum, one) => sum + countListed(one), 0);
}

function checkedOperation({ op, path, value }: Operation, attributes: Attributes): ScimPatchOperation | undefined {
  refuseInherited(value);
  if (path === undefined) {
    if (op === 'remove') throw scimProblem('noTarget', 'What is removed needs a path.');
    if (!isJsonObject(value)) throw scimProblem('invalidValue', 'Without a path the value must be an object.');
    const plain = Object.entries(value).flatMap(([name, one]) => {
      const known = plainPath(name, attributes);
      return known === undefined ? [] : [[known, one] as const];
    });
    return { op, value: Object.fromEntries(plain) } as ScimPatchOperation;
  }
  if (op !== 'remove' && value === undefined) throw scimProblem('invalidValue', `${op} needs a value.`);
  const plain = plainPath(path, attributes);
  return plain === undefined ? undefined : ({ op, path: plain, value } as ScimPatchOperation);
}

/** The library follows the names in a value as it follows paths. */
function refuseInherited(value: unknown): void {
  if (Array.isArray(value)) value.forEach(refuseInherited);
  else if (isJsonObject(value))
    for (const [name, one] of Object.entries(value)) {
      if (name.split(/[.:]/).some((part) => inherited.has(part)))
        throw scimProblem('invalidPath', `There is no attribute "${name}".`);
      refuseInherited(one);
    }
}

/** The path with the names of the schema; undefined for attributes that it does not have. */
function plainPath(path: string, { names, schemaId }: Attributes): string | undefined {
  const [, urn, attribute = '', filter = '', sub = ''] = pathForm.exec(path) ?? [];
  if (attribute === '' || inherited.has(attribute) || inherited.has(sub.slice(1)))
    throw scimProblem('invalidPath', `The path "${path}" cannot be read.`);
  if (urn !== undefined && urn.toLowerCase() !== schemaId.toLowerCase()) return undefined;
  const name = names.get(attribute.toLowerCase());
  const subName = names.get(sub.slice(1).toLowerCase()) ?? sub.slice(1);
  return name && `${name}${filter}${subName && `.${subName}`}`;
}
