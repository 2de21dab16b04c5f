import { createHash, randomBytes } from 'node:crypto';
import { startHost, type TestResponse, type TestHost, type TestHostOptions } from '@mortise/plugin-sdk/testing';
import type { Actor } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import { actorOf, basicAuth, createAccount } from '@mortise/accounts/testing';
import type { NewRepository, Repository } from '@mortise/repositories/api';
import { createRepository, remoteUrl } from '@mortise/repositories/testing';

export const lfsType = 'application/vnd.git-lfs+json';

export interface Content {
  readonly oid: string;
  readonly size: number;
  readonly bytes: Buffer;
}

export const contentOf = (text: string | Buffer): Content => {
  const bytes = Buffer.from(text);
  return { oid: createHash('sha256').update(bytes).digest('hex'), size: bytes.length, bytes };
};

/** A public SSH key that nobody holds. */
export const publicKey = (): string => {
  const field = (bytes: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes]);
  const blob = Buffer.concat([field(Buffer.from('ssh-ed25519')), field(randomBytes(32))]);
  return `ssh-ed25519 ${blob.toString('base64')}`;
};

/** A host with accounts, and the requests that clients of LFS send. */
export class LfsBench {
  private constructor(
    readonly host: TestHost,
    readonly users: Readonly<Record<'ada' | 'ben', Account>>,
  ) {}

  static async start(options: Partial<TestHostOptions> = {}): Promise<LfsBench> {
    const host = await startHost({ plugins: ['lfs', 'auth-basic', 'auth-token', 'git-http', 'forks'], ...options });
    return new LfsBench(host, { ada: await createAccount(host, 'ada'), ben: await createAccount(host, 'ben') });
  }

  actor(who: Account): Actor {
    return actorOf(this.host, who);
  }

  repository(name: string, more: Partial<NewRepository> = {}): Promise<Repository> {
    return createRepository(this.host, this.users.ada, { name, ...more });
  }

  async deployKey(name: string, key: string, readOnly: boolean): Promise<{ id: number; fingerprint: string }> {
    const { json } = await this.host.as(this.actor(this.users.ada)).inject({
      method: 'POST',
      url: `/api/v1/repos/ada/${name}/keys`,
      payload: { title: 'machine', key, read_only: readOnly },
    });
    return { id: json.id as number, fingerprint: json.fingerprint as string };
  }

  login = (who: Account) => basicAuth(who.name);

  address(path: string, who?: Account): Promise<string> {
    return remoteUrl(this.host, `${path}.git`, who?.name);
  }

  /** A JSON request below `info/lfs` of a repository of ada. */
  ask(
    method: 'GET' | 'POST',
    path: string,
    more: { as?: Account; body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<TestResponse> {
    const { as, body, headers } = more;
    return this.host.inject({
      method,
      url: `/ada/${path}`,
      headers: {
        accept: lfsType,
        'content-type': lfsType,
        ...(as ? { authorization: this.login(as) } : {}),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  }

  batch(name: string, operation: string, objects: readonly unknown[], as?: Account): Promise<TestResponse> {
    return this.ask('POST', `${name}.git/info/lfs/objects/batch`, { as, body: { operation, objects } });
  }

  put(
    name: string,
    { oid, size }: { oid: string; size: number | string },
    bytes: Buffer,
    as?: Account,
  ): Promise<TestResponse> {
    return this.host.inject({
      method: 'PUT',
      url: `/ada/${name}.git/info/lfs/objects/${oid}/${size}`,
      headers: { 'content-type': 'application/octet-stream', ...(as ? { authorization: this.login(as) } : {}) },
      payload: bytes,
    });
  }

  get(name: string, oid: string, headers: Record<string, string> = {}, as?: Account): Promise<TestResponse> {
    return this.host.inject({
      url: `/ada/${name}.git/info/lfs/objects/${oid}`,
      headers: { ...(as ? { authorization: this.login(as) } : {}), ...headers },
    });
  }
}
