import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { tgz } from '@mortise/packages/testing';
import type { Account } from '@mortise/accounts/api';
import type { Actor } from '@mortise/plugin-sdk';
import { makeUser, startHost, type KitUser, type TestHost } from '@mortise/plugin-sdk/testing';
import { States, type StateDeps } from '../services/states.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const run = promisify(execFile);
const client = ['terraform', 'tofu'].find((one) => spawnSync(one, ['version']).status === 0);

const state = (serial: number, more: object = {}) =>
  JSON.stringify({
    version: 4,
    terraform_version: '1.10.0',
    serial,
    lineage: 'b0a5',
    outputs: {},
    resources: [],
    ...more,
  });

describe('states of Terraform', { timeout: 60_000 }, () => {
  let host: TestHost;
  let ada: KitUser;
  let ben: KitUser;
  const at = '/api/packages/ada/terraform/state/net';
  before(async () => {
    host = await startHost({ plugins: ['package-terraform', 'auth-basic', 'auth-token'] });
    // everybody may see her other packages
    ada = await makeUser(host, 'ada');
    ben = await makeUser(host, 'ben');
  });
  after(() => host.close());
  const send = (method: 'GET' | 'POST' | 'DELETE', path = '', payload?: string, as: KitUser | null = ada, more = {}) =>
    host.inject({
      method,
      url: at + path,
      payload,
      headers: {
        ...(as && { authorization: as.authorization }),
        ...(payload && { 'content-type': 'application/json' }),
        ...more,
      },
    });
  const status = async (...given: Parameters<typeof send>) => (await send(...given)).statusCode;
  const lock = (id: string) => JSON.stringify({ ID: id, Operation: 'OperationTypeApply', Who: `${id}@host` });

  it('jobs read them where they may write packages, and not where they may only read them', async () => {
    const reader = (kind: string, mode: string) => {
      const access = { mode: () => Promise.resolve(mode), hasPart: () => Promise.resolve(true) };
      const states = new States({ access } as unknown as StateDeps);
      return states.checkReader({} as Account, { kind } as Actor);
    };
    await expect(reader('user', 'read')).to.not.reject();
    await expect(reader('task', 'write')).to.not.reject();
    for (const mode of ['read', 'none']) {
      const refused = await expect(reader('task', mode)).to.reject(/packages: write/);
      expect((refused as { readonly code?: string }).code).to.equal('forbidden');
    }
  });

  it('keeps each serial, and the sum that the client sends', async () => {
    const md5 = createHash('md5').update(state(1)).digest('base64');
    expect(await status('POST', '', state(1), ada, { 'content-md5': 'bm9uZQ==' })).to.equal(400);
    expect(await status('POST', '', state(1), ada, { 'content-md5': md5 })).to.equal(201);
    expect(await status('POST', '', state(1))).to.equal(409);
    expect(await status('POST', '', state(3))).to.equal(201);
    expect((await send('GET')).payload).to.equal(state(3));
    expect((await send('GET', '/versions/1')).payload).to.equal(state(1));
    for (const none of ['{', '[]', '{"serial":0,"lineage":"a"}', '{"serial":1.5,"lineage":"a"}', '{"serial":4}'])
      expect(await status('POST', '', none)).to.equal(400);
  });

  it('shows states of public owners to nobody else', async () => {
    for (const path of ['', '/versions/1']) {
      expect(await status('GET', path, undefined, null)).to.equal(401);
      expect(await status('GET', path, undefined, ben)).to.equal(401);
      expect(await status('GET', path)).to.equal(200);
    }
    const made = await host.inject({
      method: 'POST',
      url: '/api/v1/users/ada/tokens',
      headers: { authorization: ada.authorization },
      payload: { name: 'open', scopes: ['read:package', 'public-only'] },
    });
    expect(await status('GET', '', undefined, null, { authorization: `Bearer ${made.json.sha1}` })).to.equal(401);
  });

  it('shows them on no page, in no list and by no other route', async () => {
    const module = await host.inject({
      method: 'PUT',
      url: '/api/packages/ada/terraform/modules/kit/none/1.0.0',
      headers: { authorization: ada.authorization, 'content-type': 'application/octet-stream' },
      payload: tgz({ 'main.tf': '' }),
    });
    expect(module.statusCode).to.equal(201);
    const get = (url: string, as?: KitUser) => (as ? host.as(as) : host).inject({ url });
    const api = '/api/v1/packages/ada';
    const names = async (as: KitUser, query = '') =>
      [...new Set(((await get(api + query, as)).json as { name: string }[]).map(({ name }) => name))].sort();
    expect(await names(ada)).to.equal(['modules/kit/none', 'net']);
    expect(await names(ben)).to.equal(['modules/kit/none']);
    expect(await names(ben, '?q=ne')).to.equal(['modules/kit/none']);
    const [{ id }] = (await get(`${api}/terraform/net/3/files`, ada)).json;
    const page = '/ada/-/packages';
    const file = `${page}/terraform/net/3/files/${id}`;
    expect((await get(file, ada)).payload).to.equal(state(3));
    for (const stranger of [undefined, ben]) {
      for (const path of [file, `${page}/terraform/net/3`, `${page}/terraform/net`])
        expect((await get(path, stranger)).statusCode, path).to.equal(404);
      for (const list of [page, '/ada?tab=packages']) {
        const { statusCode, payload } = await get(list, stranger);
        expect(statusCode, list).to.equal(200);
        expect(payload, list).to.contain('modules/kit/none').and.not.contain('terraform/net');
      }
    }
    for (const path of ['', '/3', '/3/files', '/-/latest'])
      expect((await get(`${api}/terraform/net${path}`, ben)).statusCode, path).to.equal(404);
    expect((await get(`${api}/terraform/modules%2Fkit%2Fnone/1.0.0/files`, ben)).statusCode).to.equal(200);
  });

  it('is locked by one of many', async () => {
    const ids = ['a', 'b', 'c', 'd', 'e'];
    const answers = await Promise.all(ids.map((id) => send('POST', '/lock', lock(id))));
    const holder = ids[answers.findIndex((one) => one.statusCode === 200)]!;
    expect(answers.filter((one) => one.statusCode === 200)).to.have.length(1);
    for (const answer of answers.filter((one) => one.statusCode !== 200)) {
      expect(answer.statusCode).to.equal(423);
      expect(answer.json.ID).to.equal(holder);
    }
    const other = ids.find((id) => id !== holder)!;
    expect(await status('POST', '', state(4))).to.equal(423);
    expect(await status('POST', `?ID=${other}`, state(4))).to.equal(423);
    expect(await status('POST', `?ID=${holder}`, state(4))).to.equal(201);
    expect(await status('DELETE')).to.equal(423);
    expect(await status('DELETE', '/lock', lock(other))).to.equal(423);
    // a forced unlock says no ID
    expect(await status('DELETE', '/lock')).to.equal(200);
    expect(await status('POST', '', state(5))).to.equal(201);
    expect(await status('POST', '/lock', '{"Who":"ada"}')).to.equal(400);
    expect(await status('POST', '/lock', lock('x'), ben)).to.equal(401);
  });

  it('deletes serials, but not the newest, and the state', async () => {
    expect(await status('DELETE', '/versions/5')).to.equal(403);
    expect(await status('DELETE', '/versions/1')).to.equal(204);
    expect(await status('DELETE', '/versions/1')).to.equal(404);
    // nor by the API, and nothing of it while it is locked
    const { authorization } = ada;
    const byApi = async (path: string) =>
      (
        await host.inject({
          method: 'DELETE',
          url: `/api/v1/packages/ada/terraform/net${path}`,
          headers: { authorization },
        })
      ).statusCode;
    expect(await byApi('/5')).to.equal(403);
    expect(await status('POST', '/lock', lock('mine'))).to.equal(200);
    for (const path of ['', '/4']) expect(await byApi(path), path).to.equal(409);
    expect(await status('DELETE', '/lock', lock('mine'))).to.equal(200);
    expect(await byApi('/4')).to.equal(204);
    expect(await status('DELETE')).to.equal(200);
    expect(await status('GET')).to.equal(404);
  });

  it('keeps to the limit of states', async () => {
    const small = await startHost({
      plugins: ['package-terraform', 'auth-basic'],
      settings: { packages: { LIMIT_SIZE_TERRAFORM_STATE: '20' } },
    });
    try {
      const eve = await makeUser(small, 'eve');
      const url = '/api/packages/eve/terraform/state/net';
      const headers = { authorization: eve.authorization };
      expect((await small.inject({ method: 'POST', url, headers, payload: state(1) })).statusCode).to.equal(403);
    } finally {
      await small.close();
    }
  });

  it('terraform keeps its state here, and locks it', { skip: !client, timeout: 60_000 }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mortise-terraform-'));
    const address = `${await host.url()}/api/packages/ada/terraform/state/real`;
    const write = (value: string) =>
      writeFile(
        join(folder, 'main.tf'),
        `terraform {\n  backend "http" {\n    address = "${address}"\n    lock_address = "${address}/lock"\n    unlock_address = "${address}/lock"\n    lock_method = "POST"\n    unlock_method = "DELETE"\n    retry_max = 0\n  }\n}\noutput "hello" {\n  value = "${value}"\n}\n`,
      );
    const terraform = (password: string, ...args: string[]) =>
      run(client!, args, {
        cwd: folder,
        env: {
          ...process.env,
          TF_HTTP_USERNAME: 'ada',
          TF_HTTP_PASSWORD: password,
          TF_IN_AUTOMATION: '1',
          TF_INPUT: '0',
          CHECKPOINT_DISABLE: '1',
        },
      });
    try {
      await write('one');
      await terraform(ada.password, 'init');
      await terraform(ada.password, 'apply', '-auto-approve');
      await write('two');
      await terraform(ada.password, 'apply', '-auto-approve');
      expect((await terraform(ada.password, 'output', '-raw', 'hello')).stdout).to.equal('two');
      await expect(terraform('wrong', 'output', '-raw', 'hello')).to.reject();
      const url = new URL(address).pathname;
      const headers = { authorization: ada.authorization };
      const held = await host.inject({ method: 'POST', url: `${url}/lock`, headers, payload: lock('somebody') });
      expect(held.statusCode).to.equal(200);
      await expect(terraform(ada.password, 'apply', '-auto-approve')).to.reject(/already locked: ID=somebody/);
      await terraform(ada.password, 'force-unlock', '-force', 'somebody');
      await terraform(ada.password, 'apply', '-auto-approve');
      const { json } = await host.inject({ url, headers });
      expect(json.outputs.hello.value).to.equal('two');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
