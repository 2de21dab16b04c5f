import type { TestHost, TestResponse } from '@mortise/plugin-sdk/testing';

export const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group';

/** What `admin auth add-ldap-simple` takes; nobody asks it. */
export const directory = { name: 'Directory', host: 'ldap.example', userDn: 'uid=%s', userFilter: '(uid=%s)' };

interface TokenOptions {
  readonly organization?: string;
  readonly loginSource?: string;
  readonly manageAdministrators?: boolean;
}

/** A client of the protocol with a token of its own. */
export class ScimClient {
  private constructor(
    private readonly host: TestHost,
    readonly secret: string,
  ) {}

  static async make(host: TestHost, name: string, options: TokenOptions = {}): Promise<ScimClient> {
    const [line = ''] = await host.command('admin scim create-token', { name, ...options });
    return new ScimClient(host, line.replace('SCIM token: ', ''));
  }

  send(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    payload?: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<TestResponse> {
    return this.host.inject({
      method,
      url: `/scim/v2${path}`,
      headers: {
        authorization: `Bearer ${this.secret}`,
        ...(payload && { 'content-type': 'application/scim+json' }),
        ...headers,
      },
      ...(payload && { payload: JSON.stringify(payload) }),
    });
  }

  get(path: string): Promise<TestResponse> {
    return this.send('GET', path);
  }

  find(kind: 'Users' | 'Groups', filter: string): Promise<TestResponse> {
    return this.get(`/${kind}?${new URLSearchParams({ filter }).toString()}`);
  }

  createUser(userName: string, more: object = {}): Promise<TestResponse> {
    return this.send('POST', '/Users', { schemas: [userSchema], userName, ...more });
  }

  createGroup(displayName: string, more: object = {}): Promise<TestResponse> {
    return this.send('POST', '/Groups', { schemas: [groupSchema], displayName, ...more });
  }

  patch(path: string, ...Operations: readonly object[]): Promise<TestResponse> {
    return this.send('PATCH', path, {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
      Operations,
    });
  }
}
