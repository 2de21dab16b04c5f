import type { Readable } from 'node:stream';
import type Joi from 'joi';
import type { PayloadOptions, RequestSchemas } from './http.js';

type IsAny<T> = 0 extends 1 & T ? true : false;

/** The type that a schema carries, `Joi.object<Query>({…})`; of one without a type nothing is known. */
type TypeOf<Schema> = Schema extends Joi.AnySchema<infer T> ? (IsAny<T> extends true ? unknown : T) : unknown;

type Parts<Path extends string> = Path extends `${string}{${infer Part}}${infer Rest}` ? Part | Parts<Rest> : never;
type NameOf<Part extends string> = Part extends `${infer Name}?`
  ? Name
  : Part extends `${infer Name}*${string}`
    ? Name
    : Part;

/** `{owner}` is a string; `{path*}` and `{end?}` may be missing. */
export type PathParams<Path extends string> = string extends Path
  ? Readonly<Record<string, string>>
  : {
      readonly [Part in Parts<Path> as NameOf<Part>]: Part extends `${string}${'?' | '*'}`
        ? string | undefined
        : string;
    };

/** A query that no schema has looked at: a name that is said twice is a list. */
export type RawQuery = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A form that no schema has looked at; files of a `multipart` form are {@link UploadedFile}. */
export type RawForm = Readonly<Record<string, unknown>>;

/** Parameters of the path: those of the schema as it makes them, the others as text. */
export type ParamsOf<Path extends string, R extends RequestSchemas> = R extends { readonly params: infer Schema }
  ? Omit<PathParams<Path>, keyof TypeOf<Schema>> & Readonly<TypeOf<Schema>>
  : PathParams<Path>;

export type QueryOf<R extends RequestSchemas> = R extends { readonly query: infer Schema }
  ? Readonly<TypeOf<Schema>>
  : RawQuery;

export type PayloadOf<R extends RequestSchemas, O extends PayloadOptions> = R extends { readonly payload: infer Schema }
  ? TypeOf<Schema>
  : O extends { readonly as: 'stream' }
    ? Readable
    : O extends { readonly as: 'buffer' }
      ? Buffer
      : O extends { readonly as: 'form' | 'multipart' }
        ? RawForm
        : unknown;
