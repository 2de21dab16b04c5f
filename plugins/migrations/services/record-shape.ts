/** Where the records of a source must be objects; what single values are is cleaned where they are used. */

export interface RecordShape {
  /** Members that must be objects. */
  readonly objects?: Readonly<Record<string, RecordShape>>;
  /** Members that must be objects where they are there. */
  readonly optional?: Readonly<Record<string, RecordShape>>;
  /** Lists of objects; what is no list counts as an empty one. */
  readonly lists?: Readonly<Record<string, RecordShape>>;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const describe = (value: unknown): string =>
  value === null || value === undefined ? String(value) : Array.isArray(value) ? 'a list' : `a ${typeof value}`;

/** What is wrong with a record and where, such as `cards[3].values[0] is null instead of an object`; undefined: nothing. */
export function shapeError(value: unknown, shape: RecordShape, path = 'the record'): string | undefined {
  if (!isObject(value)) return `${path} is ${describe(value)} instead of an object`;
  const at = (name: string) => (path === 'the record' ? name : `${path}.${name}`);
  for (const [name, inner] of Object.entries(shape.objects ?? {})) {
    const error = shapeError(value[name], inner, at(name));
    if (error) return error;
  }
  for (const [name, inner] of Object.entries(shape.optional ?? {})) {
    const member = value[name];
    const error = member === undefined || member === null ? undefined : shapeError(member, inner, at(name));
    if (error) return error;
  }
  for (const [name, inner] of Object.entries(shape.lists ?? {})) {
    const list = value[name];
    if (!Array.isArray(list)) continue;
    for (let index = 0; index < list.length; index++) {
      const error = shapeError(list[index], inner, `${at(name)}[${index}]`);
      if (error) return error;
    }
  }
  return undefined;
}

const plain: RecordShape = {};
const reactions: RecordShape = { objects: { user: plain } };

export const authoredShape: RecordShape = { objects: { author: plain }, lists: { reactions } };
export const issueShape: RecordShape = { ...authoredShape, lists: { reactions, assignees: plain } };
export const pullShape: RecordShape = {
  ...issueShape,
  objects: { author: plain, head: plain, base: plain },
  optional: { merger: plain },
};
export const reviewShape: RecordShape = { objects: { author: plain }, lists: { comments: authoredShape } };
export const releaseShape: RecordShape = { objects: { author: plain }, lists: { assets: plain } };
export const projectShape: RecordShape = {
  optional: { creator: plain },
  lists: {
    columns: plain,
    cards: { lists: { values: plain } },
    fields: { lists: { options: plain } },
    views: plain,
    rules: plain,
  },
};
