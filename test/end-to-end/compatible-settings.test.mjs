// The settings that operators of the compatible service use most, as their file has them.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { root, startServer } from '../support/server.mjs';

export const lab = Lab.script();
const { describe, it, after, before } = lab;

const file = join(root, 'test/fixtures/compatible-app.ini');

describe('issue 30: a settings file of the compatible service', { timeout: 300_000 }, () => {
  let server;
  before(async () => {
    server = await startServer({ start: false, fresh: true });
    const folder = join(server.env.MORTISE_WORK_DIR, 'config');
    mkdirSync(folder, { recursive: true });
    const text = readFileSync(file, 'utf8').replaceAll('/var/lib/gitea', join(server.folder, 'gitea'));
    writeFileSync(join(folder, 'app.ini'), text);
  });
  after(() => server.close());

  it('is told line for line by config check, and nothing in it is unknown or wrong', () => {
    const written = readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, at) => (/^\w+ =/.test(line) ? [`compatible-app.ini:${at + 1}`] : []));
    expect(written.length).to.be.above(150);
    const { code, out } = server.cli('config', 'check', file);
    expect(code).to.equal(0);
    const rows = out.split('\n').filter((line) => line.startsWith('compatible-app.ini:'));
    expect(rows.map((row) => row.split('\t')[0])).to.equal(written);
    expect(rows.filter((row) => /\t(unknown|wrong|not loaded)/.test(row))).to.equal([]);
  });

  it('starts the server, and holds', async () => {
    await server.start();
    const home = await (await fetch(`${server.base}/explore/repos`)).text();
    expect(home).to.include(['Works', 'content="Where we work"']);
    // DISABLE_REGISTRATION
    expect((await fetch(`${server.base}/user/sign_up`)).status).not.to.equal(200);
    expect(await (await fetch(`${server.base}/user/login`)).text()).not.to.include('/user/sign_up');
    expect((await (await fetch(`${server.base}/api/v1/settings/api`)).json()).max_response_items).to.equal(50);
  });
});
