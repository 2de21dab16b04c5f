/** The history as a page: days, and the branches and tags of its commits. */
// Database: SQLite alone; histories are read by git.
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, type TestClient, type TestHost } from '@mortise/plugin-sdk/testing';
import { signUp } from '@mortise/accounts/testing';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('issue 29: a history below its days', () => {
  let host: TestHost;
  let ada: TestClient;
  const send = async (path: string, payload: object) => {
    const answer = await ada.inject({ method: 'POST', url: `/api/v1/repos/ada/r${path}`, payload });
    expect(answer.statusCode, answer.payload).to.equal(201);
    return answer.json;
  };
  const commit = (path: string, day: string) => {
    const date = `${day}T12:00:00Z`;
    return send(`/contents/${path}`, {
      content: Buffer.from(path).toString('base64'),
      message: `Add ${path}`,
      dates: { author: date, committer: date },
    });
  };
  before(async () => {
    host = await startHost({ plugins: ['history', 'files', 'refs'] });
    ada = await signUp(host, 'ada');
    await ada.inject({ method: 'POST', url: '/api/v1/user/repos', payload: { name: 'r', default_branch: 'main' } });
    await commit('one.txt', '2026-03-01');
    await send('/tags', { tag_name: 'v1', target: 'main', message: 'The first' });
    await send('/tags', { tag_name: 'light', target: 'main' });
    await commit('two.txt', '2026-03-02');
    await commit('three.txt', '2026-03-02');
    await send('/branches', { new_branch_name: 'topic', old_branch_name: 'main' });
  });
  after(() => host.close());

  it('groups commits by day, newest first', async () => {
    const { payload } = await ada.inject('/ada/r/commits/branch/main');
    const days = payload.split('<h2').slice(1);
    const titles = days.map((day) => [...day.matchAll(/>(Add \w+\.txt)</g)].map(([, title]) => title));
    expect(titles).to.equal([['Add three.txt', 'Add two.txt'], ['Add one.txt']]);
    expect(days[1]).to.contain('Mar 1, 2026');
  });

  it('names branches and tags at their commits, annotated ones too', async () => {
    const { payload } = await ada.inject('/ada/r/commits/branch/main');
    const rows = payload.split('class="Box-row commit-row"').slice(1);
    const namesOf = (row = '') =>
      [...row.matchAll(/href="\/ada\/r\/src\/((?:branch|tag)\/\w+)"/g)].map(([, name]) => name);
    expect(rows.map(namesOf)).to.equal([['branch/main', 'branch/topic'], [], ['tag/light', 'tag/v1']]);
  });
});
