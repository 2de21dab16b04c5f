import { defineService } from '../references.js';
import type { TestHost } from './start-host.js';

/** The part of a @hapi/lab script that the kits use. */
export interface Lab {
  describe(title: string, content: () => void): void;
  it(title: string, test: () => Promise<void>): void;
  before(work: () => Promise<void>): void;
  after(work: () => Promise<void>): void;
}

/** Fails with a sentence; the kits need no assertion library. */
export function expectThat(holds: unknown, otherwise: string): asserts holds {
  if (!holds) throw new Error(otherwise);
}

const accounts = defineService<{
  create(account: {
    name: string;
    email: string;
    password: string;
    visibility?: string;
    isAdmin?: boolean;
    mustChangePassword?: boolean;
  }): Promise<{ id: number; name: string }>;
}>('accounts.accounts');

export interface KitUser {
  readonly id: number;
  readonly name: string;
  readonly password: string;
  /** Value of the header `Authorization`. */
  readonly authorization: string;
}

/** A user who signs in with name and password. */
export async function makeUser(
  host: TestHost,
  name: string,
  options: { visibility?: string; isAdmin?: boolean } = {},
): Promise<KitUser> {
  const password = `correct horse ${name}`;
  const { id } = await host.services
    .get(accounts)
    .create({ name, email: `${name}@example.com`, password, mustChangePassword: false, ...options });
  return { id, name, password, authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}` };
}

/** What {@link makeRepository} makes. */
interface KitRepository {
  readonly id: number;
  /** `ada/shop`. */
  readonly fullName: string;
}

/** A repository of that user; with a first commit unless `isEmpty`. Needs the plugins `repositories` and `auth-basic`. */
export async function makeRepository(
  host: TestHost,
  owner: Pick<KitUser, 'authorization'>,
  name: string,
  { isPrivate = false, isEmpty = false }: { readonly isPrivate?: boolean; readonly isEmpty?: boolean } = {},
): Promise<KitRepository> {
  const made = await post<{ id: number; full_name: string }>(host, owner, '/user/repos', {
    name,
    private: isPrivate,
    auto_init: !isEmpty,
  });
  return { id: made.id, fullName: made.full_name };
}

/** What {@link makeIssue} makes. */
interface KitIssue {
  readonly id: number;
  /** Number within its repository. */
  readonly number: number;
}

/** An issue that the user opens. Needs the plugins `issues` and `auth-basic`. */
export async function makeIssue(
  host: TestHost,
  author: Pick<KitUser, 'authorization'>,
  repository: Pick<KitRepository, 'fullName'>,
  issue: { readonly title: string; readonly body?: string },
): Promise<KitIssue> {
  const { id, number } = await post<KitIssue>(host, author, `/repos/${repository.fullName}/issues`, issue);
  return { id, number };
}

async function post<T>(
  host: TestHost,
  { authorization }: Pick<KitUser, 'authorization'>,
  path: string,
  payload: object,
): Promise<T> {
  const url = `/api/v1${path}`;
  const { statusCode, payload: answer } = await host.inject({
    method: 'POST',
    url,
    headers: { authorization },
    payload,
  });
  expectThat(
    statusCode === 201,
    `POST ${url} answered ${statusCode}: ${answer}. Are the plugins that it needs in the list of startHost (auth-basic for the password)?`,
  );
  return JSON.parse(answer) as T;
}
