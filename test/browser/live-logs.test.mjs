// The page of a job shows what its runner sends while it is open, also where nothing tells it that there is something new.
// Time: about 25 s
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startServer } from '../support/server.mjs';
import { launchChromium, signIn } from './chromium.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const skip = !process.env.MORTISE_TEST_CHROMIUM || process.env.MORTISE_TEST_ENGINE === 'mysql';

const ada = 'ada:Tr1cky-passw0rd!';
const home = '/repos/ada/mill';
const pictures = process.env.MORTISE_PICTURES;
const flow =
  'on: workflow_dispatch\njobs:\n  weave:\n    runs-on: loom\n    steps:\n      - name: warp\n        run: a\n      - name: weft\n        run: b\n';

describe('live logs', { timeout: 600_000, skip }, () => {
  let server;
  let browser;
  let runner;
  const call = async (method, path, body, as = 'root:password') => {
    const answer = await server.api(method, path, { body, as });
    expect(answer.status, answer.text).to.be.below(300);
    return answer.json;
  };
  /** What runners say, in JSON. */
  const say = async (method, message, headers = runner) => {
    const answer = await fetch(`${server.base}/api/actions/runner.v1.RunnerService/${method}`, {
      method: 'POST',
      body: JSON.stringify(message),
      headers: { 'content-type': 'application/json', 'connect-protocol-version': '1', ...headers },
    });
    const text = await answer.text();
    expect(answer.status, text).to.equal(200);
    return JSON.parse(text);
  };
  before(async () => {
    server = await startServer();
    const [username, password] = ada.split(':');
    const account = { username, email: 'ada@example.com', password, must_change_password: false };
    await call('POST', '/admin/users', account);
    await call('POST', '/user/repos', { name: 'mill', auto_init: true, default_branch: 'main' }, ada);
    const content = Buffer.from(flow).toString('base64');
    await call('POST', `${home}/contents/.gitea/workflows/weave.yml`, { content, branch: 'main' }, ada);
    const { token } = await call('POST', '/admin/actions/runners/registration-token');
    const made = await say('Register', { name: 'one', token, labels: ['loom'], version: 'v1' }, {});
    runner = { 'x-runner-uuid': made.runner.uuid, 'x-runner-token': made.runner.token };
    browser = await launchChromium();
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  /** A task that runs, and the page of its job. */
  const begin = async () => {
    const url = `${home}/actions/workflows/weave.yml/dispatches?return_run_details=true`;
    const { workflow_run_id: run } = await call('POST', url, { ref: 'main' }, ada);
    let task;
    while (!task) ({ task } = await say('FetchTask', {}));
    const { jobs } = await call('GET', `${home}/actions/runs/${run}/jobs`, undefined, ada);
    return { id: task.id, path: `/ada/mill/actions/runs/${run}/jobs/${jobs[0].id}` };
  };
  const at = (second) => new Date(Date.UTC(2026, 0, 1, 10, 0, second)).toISOString();
  const log = (id, index, lines, noMore = false) =>
    say('UpdateLog', {
      taskId: id,
      index: String(index),
      rows: lines.map((content, more) => ({ time: at(index + more), content })),
      noMore,
    });
  /** `lengths`: lines of each step that has begun. */
  const report = (id, lengths, result) => {
    let logIndex = 0;
    const steps = lengths.map((logLength, step) => {
      const isOver = result || step < lengths.length - 1;
      const told = { id: String(step), startedAt: at(0), logIndex: String(logIndex), logLength: String(logLength) };
      logIndex += logLength;
      return isOver ? { ...told, stoppedAt: at(9), result: 'RESULT_SUCCESS' } : told;
    });
    return say('UpdateTask', { state: { id, steps, ...(result && { result, startedAt: at(0), stoppedAt: at(9) }) } });
  };
  const open = async (path, cut) => {
    const page = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage();
    if (cut)
      await page.addInitScript(() => {
        window.WebSocket = class {
          constructor() {
            throw new Error('cut');
          }
        };
      });
    await signIn(page, server.base, ada);
    await page.goto(`${server.base}${path}`);
    await page.evaluate(() => void (window.stays = true));
    return page;
  };
  const stays = (page) => page.evaluate(() => window.stays === true);
  const picture = async (page, name) => {
    if (!pictures) return;
    mkdirSync(pictures, { recursive: true });
    for (const [look, width, colorScheme] of [
      ['light', 1280, 'light'],
      ['dark', 1280, 'dark'],
      ['phone', 390, 'light'],
    ]) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.screenshot({ path: join(pictures, `${name}-${look}.png`) });
    }
    await page.setViewportSize({ width: 1280, height: 900 });
  };

  it('lines come to an open page, with groups, colours, links, a search and the whole as a file', async () => {
    const { id, path } = await begin();
    await report(id, [0]);
    const page = await open(path);
    await log(id, 0, [
      'first thread',
      '##[group]Fetch',
      'deep inside',
      '##[endgroup]',
      '\u001b[31mred thread\u001b[0m',
    ]);
    await report(id, [5]);
    await page.waitForSelector('#L5', { state: 'attached' });
    await log(id, 5, ['<b>second</b> thread']);
    await report(id, [5, 1]);
    await page.waitForSelector('#step-2 #L6', { state: 'attached' });
    expect(await stays(page), 'the page was not loaded again').to.be.true();
    expect(await page.textContent('#L6 .log-text')).to.equal('<b>second</b> thread');
    const colour = (selector) => page.$eval(selector, (one) => window.getComputedStyle(one).color);
    expect(await colour('#L5 .ansi-red-fg')).not.to.equal(await colour('#L1 .log-text'));
    // folded until somebody looks
    expect(await page.isVisible('#L1')).to.be.true();
    expect(await page.isVisible('#L3')).to.be.false();
    await page.click('.log-group summary');
    expect(await page.isVisible('#L3')).to.be.true();
    await page.click('.log-group summary');
    await page.click('#L5 .log-number');
    expect(new URL(page.url()).hash).to.equal('#L5');

    await page.fill('#log-search', 'INSIDE');
    await page.waitForSelector('#L3.log-hit');
    expect(await page.isVisible('#L3')).to.be.true();
    expect(await page.textContent('#log-found')).to.equal('1');
    await page.fill('#log-search', 'thread');
    await page.waitForFunction(() => document.querySelectorAll('.log-hit').length === 3);
    await page.fill('#log-search', '');
    await page.waitForFunction(() => !document.querySelector('.log-hit'));
    await picture(page, 'live-log');

    await log(id, 6, ['the end'], true);
    await report(id, [5, 2], 'RESULT_SUCCESS');
    await page.waitForSelector('#job[data-done=true]');
    await page.goto('about:blank');
    await page.goto(`${server.base}${path}#L3`);
    expect(await page.isVisible('#L3'), 'a link to a line opens what holds it').to.be.true();
    const file = await page.evaluate(async () => {
      const answer = await fetch(document.querySelector('a[href*="/jobs/"][href$="/logs"]').href);
      return [answer.headers.get('content-disposition'), await answer.text()];
    });
    expect(file[0]).to.include('attachment');
    expect(file[1].split('\n').filter(Boolean)).to.have.length(7);
    await page.context().close();
  });

  it('lines come where the connection that tells of them is cut', async () => {
    const { id, path } = await begin();
    await report(id, [0]);
    const page = await open(path, true);
    await log(id, 0, ['slow thread']);
    await report(id, [1]);
    await page.waitForSelector('#L1', { state: 'attached' });
    await log(id, 1, ['slower thread']);
    await report(id, [2]);
    await page.waitForSelector('#L2', { state: 'attached' });
    expect(await stays(page)).to.be.true();
    await report(id, [2, 0], 'RESULT_SUCCESS');
    await page.waitForSelector('#job[data-done=true]');
    await page.context().close();
  });
});
