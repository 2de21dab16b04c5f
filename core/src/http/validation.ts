import { invalidInput, NotFound, type Route } from '@mortise/plugin-sdk';
import type Joi from 'joi';
import { t } from '../texts/index.js';
import type { RequestContext } from './context.js';

/** Clients send more than we know; what we know must be right. */
const lenient = { convert: true, allowUnknown: true, stripUnknown: true } as const;

type RequestCheck = (context: RequestContext) => void;

/** Checks path parameters (404 when wrong: such a thing does not exist), query and body (422). */
export function requestCheck(route: Route): RequestCheck | undefined {
  const { params, query, payload } = route.request ?? {};
  if (!params && !query && !payload) return undefined;
  // Made when the route is first asked for: hundreds of routes would make them at the start.
  const make = () => ({
    forParams: params?.prefs({ convert: true, allowUnknown: true }),
    forQuery: query?.prefs(lenient),
    forPayload: payload?.prefs(lenient),
    // most requests have none, and then most schemas make nothing of it: that is found out once
    takesNone: query !== undefined && isNothing(query.prefs(lenient).validate({})),
  });
  let made: ReturnType<typeof make> | undefined;
  return (context) => {
    const { forParams, forQuery, forPayload, takesNone } = (made ??= make());
    if (forParams)
      context.params = run(forParams, context.params, () =>
        NotFound('page', { text: t.later('error.notFound') }),
      ) as Record<string, string>;
    if (forQuery && !(takesNone && isEmpty(context.query)))
      context.query = run(forQuery, context.query, invalidInput) as Record<string, never>;
    if (forPayload) context.payload = run(forPayload, given(context), invalidInput);
  };
}

const isEmpty = (value: object): boolean => Object.keys(value).length === 0;
const isNothing = ({ error, value }: Joi.ValidationResult): boolean => !error && isEmpty(value as object);

/** In the body of an API request null says the same as nothing: clients send it for all that they do not set. */
const given = ({ surface, payload }: RequestContext): unknown => (surface === 'api' ? withoutNulls(payload) : payload);

const deepest = 32;

function withoutNulls(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || depth > deepest) return value;
  if (Array.isArray(value)) return value.map((one) => withoutNulls(one, depth + 1));
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) => (one === null ? [] : [[key, withoutNulls(one, depth + 1)]])),
  );
}

function run(schema: Joi.Schema, value: unknown, refuse: (error: Joi.ValidationError) => Error): unknown {
  const checked = schema.validate(value);
  if (checked.error) throw refuse(checked.error);
  return checked.value as unknown;
}

/** For tests: does the answer keep what the route declares? Gives what is wrong. */
export function responseProblem(route: Route, status: number, body: unknown): string | undefined {
  const responses = route.responses;
  if (!responses || status >= 400) return undefined;
  if (!(status in responses)) return `status ${status} is not declared`;
  const schema = responses[status];
  if (!schema) return body === undefined ? undefined : `status ${status} is declared without a body`;
  const { error } = schema.validate(JSON.parse(JSON.stringify(body ?? null)), {
    convert: false,
    allowUnknown: true,
    abortEarly: false,
  });
  const faults = error?.details.filter((detail) => detail.type !== 'date.base') ?? [];
  return faults.length > 0 ? faults.map((detail) => detail.message).join('; ') : undefined;
}
