import { createHash, randomBytes } from 'node:crypto';
import { jobs, storage } from '@mortise/plugin-sdk';
import { startHost, type TestHost, type TestResponse } from '@mortise/plugin-sdk/testing';
import type { Account } from '@mortise/accounts/api';
import { actorOf, createAccount } from '@mortise/accounts/testing';
import { cleanUpActions, runtimeTokens } from '@mortise/actions/api';
import { makeTask, type MadeTask, type TaskOptions } from '@mortise/actions/testing';
import type { Repository } from '@mortise/repositories/api';
import { createRepository } from '@mortise/repositories/testing';

export const s3 = process.env.MORTISE_TEST_S3;
export const stores = ['local', 'minio'] as const;
export type Store = (typeof stores)[number];

export const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');
export const base64 = (text: string) => Buffer.from(text).toString('base64');

export const storeSettings = (STORAGE_TYPE: Store): Record<string, Record<string, unknown>> =>
  STORAGE_TYPE === 'local'
    ? {}
    : {
        storage: {
          STORAGE_TYPE,
          MINIO_ENDPOINT: new URL(s3!).host,
          MINIO_ACCESS_KEY_ID: 'test',
          MINIO_SECRET_ACCESS_KEY: 'test-secret',
          MINIO_BUCKET: `mortise-${randomBytes(5).toString('hex')}`,
        },
      };

export interface Job extends MadeTask {
  readonly token: string;
}

/** A server, a repository, and what programs of jobs send. */
export class Bench {
  private constructor(
    readonly host: TestHost,
    readonly ada: Account,
    readonly repository: Repository,
  ) {}

  static async start(settings: Record<string, Record<string, unknown>> = {}): Promise<Bench> {
    const host = await startHost({ plugins: ['actions-artifacts', 'auth-token'], settings });
    const ada = await createAccount(host, 'ada');
    return new Bench(host, ada, await createRepository(host, ada, 'mill'));
  }

  async job(options: TaskOptions = {}, repository = this.repository): Promise<Job> {
    const made = await makeTask(this.host, repository, options);
    const claims = { taskId: made.task.id, runId: made.run.id, jobId: made.job.id };
    return { ...made, token: await this.host.services.get(runtimeTokens).issue(claims) };
  }

  /** As the owner of the repository, below its address in the API. */
  api(path: string, method = 'GET'): Promise<TestResponse> {
    return this.host.as(actorOf(this.host, this.ada)).inject({ method, url: `/api/v1/repos/ada/mill/actions${path}` });
  }

  send(
    method: string,
    address: string,
    more: { token?: string; payload?: string | Buffer | object; headers?: Record<string, string> } = {},
  ): Promise<TestResponse> {
    const { token, payload, headers } = more;
    return this.host.inject({
      method,
      url: address.replace(this.host.site.rootUrl, ''),
      headers: { ...(token ? { authorization: `Bearer ${token}` } : {}), ...headers },
      ...(payload === undefined ? {} : { payload }),
    });
  }

  twirp(service: string, method: string, job: Job, message: object, token = job.token): Promise<TestResponse> {
    return this.send('POST', `/twirp/github.actions.results.api.v1.${service}/${method}`, { token, payload: message });
  }

  artifact(job: Job, method: string, message: object, token = job.token): Promise<TestResponse> {
    const ids = { workflow_run_backend_id: String(job.run.id), workflow_job_run_backend_id: String(job.job.id) };
    return this.twirp('ArtifactService', method, job, { ...ids, ...message }, token);
  }

  block(address: string, id: string, content: string | Buffer): Promise<TestResponse> {
    return this.send('PUT', `${address}&comp=block&blockid=${encodeURIComponent(base64(id))}`, { payload: content });
  }

  list(address: string, ids: readonly string[]): Promise<TestResponse> {
    const xml = `<?xml version="1.0" encoding="utf-8"?><BlockList>${ids.map((id) => `<Latest>${base64(id)}</Latest>`).join('')}</BlockList>`;
    return this.send('PUT', `${address}&comp=blocklist`, { payload: xml });
  }

  /** A whole artifact in one block; gives the answer of the end. */
  async upload(job: Job, name: string, content: string | Buffer, message: object = {}): Promise<TestResponse> {
    const made = await this.artifact(job, 'CreateArtifact', { name, version: 4 });
    const address = String(made.json.signedUploadUrl);
    await this.block(address, 'one', content);
    await this.list(address, ['one']);
    const size = String(Buffer.byteLength(content));
    return this.artifact(job, 'FinalizeArtifact', { name, size, hash: `sha256:${sha256(content)}`, ...message });
  }

  async night(): Promise<void> {
    await this.host.services.get(jobs).enqueue(cleanUpActions, {});
    await this.host.settle();
  }

  /** Everything that is stored in an area. */
  async stored(area = 'actions-artifacts'): Promise<string[]> {
    const keys: string[] = [];
    for await (const { key } of this.host.services.get(storage).area(area).list()) keys.push(key);
    return keys.sort();
  }
}
