import { englishOf, type Text } from './language.js';
import { t } from './texts/index.js';

/** Codes of refusals, each with one HTTP status (`core/http` is the one place that translates). */
const problemStatus = {
  bad_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  gone: 410,
  precondition_failed: 412,
  too_large: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  invalid: 422,
  locked: 423,
  upgrade_required: 426,
  too_many: 429,
  bad_gateway: 502,
  unavailable: 503,
  gateway_timeout: 504,
} as const;

export type ProblemCode = keyof typeof problemStatus;

export interface ProblemDetails {
  /** What pages show instead, in the visitor's language, where clients of the API rely on the words of the message. */
  readonly text?: Text;
  /** What is wrong with which field of a form: pages show it beside the field. */
  readonly inputs?: Readonly<Record<string, Text>>;
  /** Further fields of the error body, for instance `invalidTopics`. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** Response headers, for instance `WWW-Authenticate`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * A refusal that a person can act on. Thrown by services; anything else that is thrown is a fault (500). `message` is
 * English, for logs and the API; pages show `text` in the visitor's language: give `t.later(…)` as the message.
 */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly text: Text;
  readonly inputs: Readonly<Record<string, Text>>;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ProblemCode, message: Text, details: ProblemDetails = {}) {
    super(englishOf(message));
    this.name = 'Problem';
    this.code = code;
    this.text = details.text ?? message;
    this.inputs = details.inputs ?? {};
    this.fields = details.fields ?? {};
    this.headers = details.headers ?? {};
  }

  get status(): number {
    return problemStatus[this.code];
  }

  /** `instanceof` and `Problem.is` hold also for a Problem of another installed copy of the SDK. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return Problem.is(value);
  }

  static is(value: unknown): value is Problem {
    return value instanceof Error && value.name === 'Problem' && 'code' in value;
  }
}

/** One thing in a few words: `package version`. */
const isNoun = (what: Text): what is string => typeof what === 'string' && /^[\w-]+(?: [\w-]+){0,2}$/.test(what);
/**
 * 404; `NotFound('package version')` reads "package version does not exist", and pages say that there is no such page.
 * More than three words, or words with a stop, are taken as they are.
 */
export const NotFound = (what: Text, details?: ProblemDetails) =>
  isNoun(what)
    ? new Problem('not_found', `${what} does not exist`, { text: t.later('error.notFound'), ...details })
    : new Problem('not_found', what, details);
/** 401; `token is required` unless told otherwise. */
export const Unauthorized = (message: Text = 'token is required', details?: ProblemDetails) =>
  new Problem('unauthorized', message, details);
/** 403 */
export const Forbidden = (message: Text, details?: ProblemDetails) => new Problem('forbidden', message, details);
/** 409 */
export const Conflict = (message: Text, details?: ProblemDetails) => new Problem('conflict', message, details);
/** 422 */
export const Invalid = (message: Text, details?: ProblemDetails) => new Problem('invalid', message, details);
/** 400 */
export const BadRequest = (message: Text, details?: ProblemDetails) => new Problem('bad_request', message, details);
/** 423 */
export const Locked = (message: Text, details?: ProblemDetails) => new Problem('locked', message, details);
/** 413 */
export const TooLarge = (message: Text, details?: ProblemDetails) => new Problem('too_large', message, details);
