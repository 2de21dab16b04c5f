// issue 30: how much lists on pages show, as settings of the compatible service say.
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { signUp } from '@mortise/accounts/testing';
import { siteNotices } from '@mortise/admin/api';
import { startHost } from '@mortise/plugin-sdk/testing';
import { repositories } from '@mortise/repositories/api';
import { commitFiles } from '@mortise/repositories/testing';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const settings = {
  ui: { EXPLORE_PAGING_NUM: 2, ISSUE_PAGING_NUM: 2, GRAPH_MAX_COMMIT_NUM: 2 },
  'ui.user': { REPO_PAGING_NUM: 2, ORG_PAGING_NUM: 2 },
  'ui.admin': { USER_PAGING_NUM: 2, REPO_PAGING_NUM: 2, NOTICE_PAGING_NUM: 2, ORG_PAGING_NUM: 2 },
};
const three = ['one', 'two', 'three'];

describe('issue 30: [ui] *_PAGING_NUM', () => {
  let host;
  let root;
  before(async () => {
    host = await startHost({ plugins: ['admin', 'organizations', 'issues', 'history'], settings });
    root = await signUp(host, 'root', { isAdmin: true });
    const send = async (url, payload) => {
      const { statusCode } = await root.inject({ method: 'POST', url: `/api/v1${url}`, payload });
      expect(statusCode, url).to.equal(201);
    };
    for (const name of three) {
      await signUp(host, `user-${name}`);
      await send('/orgs', { username: `org-${name}` });
      await send('/user/repos', { name, auto_init: true });
      await send('/repos/root/one/issues', { title: name });
      await send('/repos/root/one/milestones', { title: name });
      await host.services.get(siteNotices).add('job', `The notice ${name}`);
    }
    const repository = await host.services.get(repositories).byPath('root', 'one');
    for (const name of three.slice(1)) await commitFiles(host, repository, { [name]: name });
    await host.settle();
  });
  after(() => host.close());

  it('bound every list', async () => {
    const lists = {
      '/explore/repos': 2,
      '/explore/users': 2,
      '/explore/organizations': 2,
      '/root/one/issues': 2,
      '/root/one/milestones': 2,
      '/issues?view=created': 2,
      '/root?tab=repositories': 2,
      '/user/repositories': 2,
      '/-/admin/users': 2,
      '/-/admin/repositories': 2,
      '/-/admin/notices': 2,
      '/-/admin/orgs': 2,
    };
    const positions = {};
    for (const url of Object.keys(lists))
      positions[url] = Number(/px-2">1 of (\d)</.exec((await root.inject(url)).payload)?.[1]);
    expect(positions).to.equal(lists);
    const graph = await Promise.all(
      ['', '?page=2'].map(async (page) => (await root.inject(`/root/one/graph${page}`)).payload),
    );
    expect(graph.map((page) => page.split('class="graph-row').length - 1)).to.equal([2, 1]);
    const profile = (await root.inject('/root')).payload;
    expect(three.filter((name) => profile.includes(`href="/org-${name}"`))).to.have.length(2);
  });
});
