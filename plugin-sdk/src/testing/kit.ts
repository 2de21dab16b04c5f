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
