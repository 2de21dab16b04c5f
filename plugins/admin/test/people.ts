import { startHost, type TestClient, type TestHost, type TestHostOptions } from '@mortise/plugin-sdk/testing';
import { accounts as accountsRef } from '@mortise/accounts/api';

/** A host with an administrator and a user. */
export interface AdminScene {
  readonly host: TestHost;
  readonly root: TestClient;
  readonly ada: TestClient;
}

export async function startAdmin(options: Partial<TestHostOptions> = {}): Promise<AdminScene> {
  const host = await startHost({ plugins: ['admin'], ...options });
  const accounts = host.services.get(accountsRef);
  const person = async (name: string, isAdmin: boolean) => {
    const given = { name, email: `${name}@example.com`, password: 'long enough', isAdmin };
    return host.as(accounts.actorOf(await accounts.create(given), 'test'));
  };
  return { host, root: await person('root', true), ada: await person('ada', false) };
}

/** A form of a page. */
export const submit = (client: TestClient, url: string, fields: Readonly<Record<string, string>>) =>
  client.inject({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(fields).toString(),
  });
