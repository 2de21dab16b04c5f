// Issue 29: an environment gets its rules on a page, a job waits for its reviewer, who approves one deployment and rejects the
// next, and the history says so.
// Time: about 25 s
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startServer } from '../support/server.mjs';
import { launchChromium, signIn } from './chromium.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const skip = !process.env.MORTISE_TEST_CHROMIUM || process.env.MORTISE_TEST_ENGINE === 'mysql';

const password = 'Tr1cky-passw0rd!';
const home = '/repos/ada/mill';
const flow = `name: Ship
on: workflow_dispatch
jobs:
  live:
    runs-on: loom
    environment: production
    steps: [{ run: ship }]
`;

describe('issue 29: deployments', { timeout: 600_000, skip }, () => {
  let server;
  let browser;
  const call = async (method, path, body, as = `ada:${password}`) => {
    const answer = await server.api(method, path, { body, as });
    expect(answer.status, answer.text).to.be.below(300);
    return answer.json;
  };
  const pageOf = async (user) => {
    const page = await browser.newPage();
    await signIn(page, server.base, `${user}:${password}`);
    return page;
  };
  const dispatch = async () => {
    const url = `${home}/actions/workflows/ship.yml/dispatches?return_run_details=true`;
    return (await call('POST', url, { ref: 'main' })).workflow_run_id;
  };

  before(async () => {
    server = await startServer();
    for (const username of ['ada', 'ben'])
      await call(
        'POST',
        '/admin/users',
        { username, email: `${username}@example.com`, password, must_change_password: false },
        'root:password',
      );
    await call('POST', '/user/repos', { name: 'mill', auto_init: true, default_branch: 'main' });
    const content = Buffer.from(flow).toString('base64');
    await call('POST', `${home}/contents/.gitea/workflows/ship.yml`, { content, branch: 'main' });
    browser = await launchChromium();
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  it('wait for the reviewers that the settings name, and the history says how they ended', async () => {
    const ada = await pageOf('ada');
    await ada.goto(`${server.base}/ada/mill/settings/actions/environments`);
    await ada.fill('input[name=name]', 'production');
    await ada.click('text=Add environment >> visible=true >> nth=-1');
    await ada.fill('input[name=reviewers]', 'nobody-here');
    await ada.click('button:text-is("Save")');
    expect(await ada.textContent('main')).to.include('"nobody-here" was not found.');
    await ada.fill('input[name=reviewers]', 'ben');
    await ada.fill('textarea[name=branch_patterns]', 'main');
    await ada.click('button:text-is("Save")');
    expect(await ada.inputValue('input[name=reviewers]')).to.equal('ben');

    const first = await dispatch();
    await ada.goto(`${server.base}/ada/mill/actions/runs/${first}`);
    expect(await ada.textContent('#run-deployments')).to.include('production waits for a review by one of: ben.');
    expect(await ada.locator('#run-deployments form').count()).to.equal(0);

    const ben = await pageOf('ben');
    await ben.goto(`${server.base}/notifications`);
    await ben.click(`a[href$="/ada/mill/actions/runs/${first}"]`);
    await ben.fill('textarea[name=comment]', 'Looks good');
    await ben.click('text=Approve and deploy');
    expect(await ben.textContent('#run-deployments')).to.match(
      /ben approved the deployment to production.*Looks good/s,
    );

    const second = await dispatch();
    await ben.goto(`${server.base}/ada/mill/actions/runs/${second}`);
    await ben.fill('textarea[name=comment]', 'Not today');
    await ben.click('button:text-is("Reject")');
    expect(await ben.textContent('#run-summary')).to.include('ben rejected the deployment to production: Not today');

    await ben.goto(`${server.base}/ada/mill/actions`);
    await ben.click('nav >> text=Deployments');
    await ben.click('nav >> text=production');
    expect(await ben.textContent('main')).to.include('1 reviewer · only main');
    expect(await ben.locator('main li.Box-row').count()).to.equal(2);
    expect(await ben.locator('text=Edit rules').count()).to.equal(0);
  });
});
