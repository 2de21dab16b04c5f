import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { parseIni, site } from '@mortise/plugin-sdk';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { SourceFixture } from './source.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

const settings = `[server]
HTTP_PORT = 3456
HTTP_ADDR = 0.0.0.0
LFS_JWT_SECRET = theirs
APP_DATA_PATH = data
DOMAIN = code.example.com
ROOT_URL = %(PROTOCOL)s://%(DOMAIN)s/
SSH_DOMAIN = ssh.%(DOMAIN)s
[service]
REGISTER_EMAIL_CONFIRM = true
[mailer]
PASSWD = a;b
[openid]
ENABLE_OPENID_SIGNIN = true
[git.timeout]
MIGRATE = 600
[ui]
THEMES = gitea-auto
GRAVITY_TOKEN = hush
`;

describe('issue 28: settings of a server that is taken over', () => {
  let host: TestHost;
  let source: SourceFixture;
  let folder: string;
  const take = (more: object = {}) => host.command('takeover settings', { from: source.folder, ...more });
  beforeEach(async () => {
    host = await startHost({ plugins: ['takeover', 'mail', 'sessions'] });
    source = new SourceFixture(settings);
    folder = host.services.get(site).workDir;
    const custom = join(source.folder, 'custom');
    mkdirSync(join(custom, 'public', 'assets', 'css'), { recursive: true });
    mkdirSync(join(custom, 'templates'));
    writeFileSync(join(custom, 'templates', 'home.tmpl'), 'x');
    writeFileSync(join(custom, 'public', 'robots.txt'), 'theirs');
    writeFileSync(join(custom, 'public', 'assets', 'css', 'site.css'), 'body {}');
    symlinkSync(join(custom, 'conf', 'app.ini'), join(custom, 'public', 'link'));
    mkdirSync(join(folder, 'public'), { recursive: true });
    writeFileSync(join(folder, 'public', 'robots.txt'), 'ours');
  });
  afterEach(async () => {
    source.close();
    await host.close();
  });

  it('are proposed in a file of their own, without places and secrets of the other server', async () => {
    const file = join(folder, 'config', 'app.ini.taken-over');
    await take({ dryRun: true });
    expect(existsSync(file)).to.be.false();
    mkdirSync(join(folder, 'config'), { recursive: true });
    writeFileSync(file, 'of before', { mode: 0o644 });
    const lines = await take();
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    const text = readFileSync(file, 'utf8');
    const values = parseIni(text, file).values.map(({ section, key, value }) => [section, key, value]);
    expect(values).to.include([
      ['server', 'HTTP_PORT', '3456'],
      ['mailer', 'PASSWD', 'a;b'],
      // to a preset of that server: read as the preset here
      ['server', 'ROOT_URL', '%(PROTOCOL)s://%(DOMAIN)s/'],
      ['service', 'REGISTER_EMAIL_CONFIRM', 'true'],
    ]);
    expect(values.map(([, key]) => key)).to.not.include('HTTP_ADDR');
    expect(lines).to.include([
      'belongs to the other server alone: [server] LFS_JWT_SECRET',
      'belongs to the other server alone: [server] APP_DATA_PATH',
      'belongs to the other server alone: [security] SECRET_KEY',
      '[ui] GRAVITY_TOKEN has no counterpart',
      '[git.timeout] MIGRATE has another name here: [git] CLONE_TIMEOUT',
    ]);
    expect(lines.filter((line) => /ENABLE_OPENID_SIGNIN is not needed: OpenID 2.0/.test(line))).to.have.length(1);
    for (const secret of ['theirs', 'hush', 'SECRET_KEY = key']) expect(text).to.not.contain(secret);
    expect(statSync(file).mode & 0o077).to.equal(0);
  });

  it('leaves files of this site alone, follows no link, and counts templates', async () => {
    const lines = await take();
    expect(readFileSync(join(folder, 'public', 'robots.txt'), 'utf8')).to.equal('ours');
    expect(readFileSync(join(folder, 'public', 'assets', 'css', 'site.css'), 'utf8')).to.equal('body {}');
    expect(existsSync(join(folder, 'public', 'link'))).to.be.false();
    expect(lines).to.include([
      'custom/public: 1 files copied, 1 are here already',
      'custom/templates: 1 files have no counterpart',
    ]);
  });
});
