/** Files that were only moved, and files that are no text, as clients of the API are told of them. */
// Database: SQLite alone; differences are made by git.
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { accounts } from '@mortise/accounts/api';
import { createAccount } from '@mortise/accounts/testing';
import { repositories } from '@mortise/repositories/api';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('moved and binary files', () => {
  let host: TestHost;
  let send: (method: string, path: string, payload?: object) => ReturnType<TestHost['inject']>;
  const change = async (files: object[]) => {
    const made = await send('POST', '/contents', { files, message: 'change' });
    expect(made.statusCode, made.payload).to.equal(201);
    return made.json.commit.sha as string;
  };
  const base64 = (content: string | Uint8Array) => Buffer.from(content).toString('base64');

  before(async () => {
    host = await startHost({ plugins: ['history', 'files'] });
    const ada = await createAccount(host, 'ada');
    const actor = host.services.get(accounts).actorOf(ada, 'test');
    await host.services.get(repositories).create(ada, { name: 'r', autoInit: true }, actor);
    send = (method, path, payload) =>
      host.as(ada).inject({ method, url: `/api/v1/repos/ada/r${path}`, payload }) as ReturnType<TestHost['inject']>;
  });
  after(() => host.close());

  it('a move counts no lines, and is one file less and one more', async () => {
    await change([{ operation: 'create', path: 'b/old.txt', content: base64('1\n2\n3\n4\n5\n6\n') }]);
    const sha = await change([
      { operation: 'update', path: 'a.txt', from_path: 'b/old.txt', content: base64('1\n2\n3\n4\n5\n6\n') },
      { operation: 'create', path: 'c.txt', content: base64('new\n') },
    ]);
    for (const [query, stats] of [
      ['', { total: 1, additions: 1, deletions: 0 }],
      ['?stat=false', null],
    ] as const) {
      const { json } = await send('GET', `/git/commits/${sha}${query}`);
      expect(json.stats).to.equal(stats);
      expect(json.files).to.equal([
        { filename: 'a.txt', status: 'added' },
        { filename: 'b/old.txt', status: 'removed' },
        { filename: 'c.txt', status: 'added' },
      ]);
    }
  });

  it('a diff says that bytes differ, a patch has them', async () => {
    const content = base64(new Uint8Array([0, 1, 2, 0, 255]));
    const sha = await change([{ operation: 'create', path: 'c.bin', content }]);
    const page = (ending: string) => host.inject(`/ada/r/commit/${sha}.${ending}`);
    for (const diff of [await send('GET', `/git/commits/${sha}.diff`), await page('diff')])
      expect(diff.payload).to.include('Binary files /dev/null and b/c.bin differ').and.to.not.include('GIT binary');
    for (const patch of [await send('GET', `/git/commits/${sha}.patch`), await page('patch')])
      expect(patch.payload).to.include('GIT binary patch');
  });
});
