import { Joi, Unauthorized, type Access, type RouteContext } from '@mortise/plugin-sdk';
import type { RuntimeTask, RuntimeTasks } from '@mortise/actions/api';

/** Handlers check the task token that jobs send; signed addresses need no other credentials. */
export const taskCredentials: Access = { actor: 'anyone', always: true, ownCredentials: true };

/** The task that a request speaks for. Throws `unauthorized` when there is none that runs. */
export async function taskOf(tasks: RuntimeTasks, { headers }: Pick<RouteContext, 'headers'>): Promise<RuntimeTask> {
  const task = await tasks.ofHeader(headers.authorization);
  if (!task) throw Unauthorized('The token of a running task is required.');
  return task;
}

/** What a body may hold under the name of protobuf or of its JSON. */
export type Message = Readonly<Record<string, unknown>>;

/** By either name: `workflow_run_backend_id` or `workflowRunBackendId`. */
export function fieldOf(message: Message, name: string): unknown {
  const camel = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const value = message[name] ?? message[camel];
  return value === null ? undefined : value;
}

export const textOf = (message: Message, name: string): string | undefined => {
  const value = fieldOf(message, name);
  return typeof value === 'string' ? value : undefined;
};

/** A whole number that is not negative; as a number or as text. Undefined: absent. NaN: something else. */
export function numberOf(message: Message, name: string): number | undefined {
  const value = fieldOf(message, name);
  if (value === undefined) return undefined;
  const known = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(known) && (known as number) >= 0 ? (known as number) : NaN;
}

export const text = (max: number) => Joi.string().allow('').max(max);

/** Query of a signed address. */
export interface SignedQuery {
  readonly sig?: string;
  readonly expires?: string;
  /** What is done with the body, and which block it is. */
  readonly comp?: string;
  readonly blockid?: string;
}

/** `more`: what else the signature covers, with its greatest length. */
export const signedQuery = <N extends string>(more: Readonly<Record<N, number>>) =>
  Joi.object<SignedQuery & { readonly [name in N]?: string }>({
    sig: text(200),
    expires: text(20),
    comp: text(20),
    blockid: text(256),
    ...Object.fromEntries(Object.entries<number>(more).map(([name, max]) => [name, text(max)])),
  }).unknown(true);
