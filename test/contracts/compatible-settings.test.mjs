// Every setting of the compatible service is in core/src/settings/compatible-settings.json, with what it is here.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { root } from '../support/server.mjs';
import { compatiblePage } from '../../core/dist/settings/compatible-page.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const table = JSON.parse(readFileSync(join(root, 'core/src/settings/compatible-settings.json'), 'utf8'));
const keysOf = ({ same = [], otherName = {}, otherMeaning = {}, notNeeded = {}, notYet = [] }) => [
  ...same,
  ...Object.keys(otherName),
  ...Object.keys(otherMeaning),
  ...Object.keys(notNeeded),
  ...notYet,
];
/** `[log.%(WriterMode)]` stands for any output of the log. */
const sectionOf = (name) => name.toLowerCase().replace('%(writermode)', 'errors');
const labelOf = (section, key) => (section ? `[${sectionOf(section)}] ${key}` : key);

describe('issue 30: settings of the compatible service', { timeout: 300_000 }, () => {
  let folder;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'mortise-compatible-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  function check(text, ...more) {
    const file = join(folder, 'app.ini');
    writeFileSync(file, text);
    const { stdout, stderr, status } = spawnSync(
      process.execPath,
      [join(root, 'core/bin/mortise.mjs'), '--work-path', join(folder, 'data'), 'config', 'check', file, ...more],
      { encoding: 'utf8', cwd: folder },
    );
    expect(stderr).to.equal('');
    return { status, lines: stdout.trim().split('\n') };
  }

  it('are all listed, each once', () => {
    const names = Object.entries(table).flatMap(([section, rows]) => keysOf(rows).map((key) => `${section} ${key}`));
    expect(new Set(names).size).to.equal(names.length);
    expect([Object.keys(table).length, names.length]).to.equal([101, 762]);
  });

  it('are on the page that is written from the list', () => {
    expect(readFileSync(join(root, 'config/compatible-settings.md'), 'utf8')).to.equal(compatiblePage());
  });

  it('are what the list says: declared where the same, and not declared where not', () => {
    // nothing is no value of these
    const values = {
      '[actions] WORKFLOW_DIRS': '.gitea/workflows',
      '[repository] USE_COMPAT_SSH_URI': 'true',
      '[log] MODE': 'errors',
      '[log.errors] MODE': 'file',
    };
    const sections = Object.entries(table).map(([section, rows]) => {
      const lines = keysOf(rows).map((key) => {
        const secret = key.endsWith('_URI') ? `file:${join(folder, 'app.ini')}` : '';
        return `${key} = ${values[labelOf(section, key)] ?? secret}`;
      });
      return `${section ? `[${sectionOf(section)}]\n` : ''}${lines.join('\n')}\n`;
    });
    const { lines } = check(sections.join('\n'));
    const states = new Map(lines.slice(0, -1).map((line) => line.split('\t').slice(1)));
    const expected = new Map(
      Object.entries(table).flatMap(
        ([section, { same = [], otherName = {}, otherMeaning = {}, notNeeded = {}, notYet = [] }]) => [
          ...same.map((key) => [labelOf(section, key), 'same']),
          ...Object.entries(otherName).map(([key, name]) => [labelOf(section, key), `other name: ${name}`]),
          ...Object.entries(otherMeaning).map(([key, meaning]) => [labelOf(section, key), `other meaning: ${meaning}`]),
          ...Object.entries(notNeeded).map(([key, reason]) => [labelOf(section, key), `not needed: ${reason}`]),
          ...notYet.map((key) => [labelOf(section, key), 'not yet']),
        ],
      ),
    );
    const wrong = [...expected].filter(([name, state]) => states.get(name) !== state);
    expect(wrong.map(([name, state]) => `${name}: ${state}, is ${states.get(name)}`)).to.equal([]);
  });

  it('that have another name have one that exists', () => {
    const settings = readFileSync(join(root, 'config/settings.md'), 'utf8').split('\n## ');
    const missing = Object.values(table)
      .flatMap(({ otherName = {}, notNeeded = {} }) => [...Object.values(otherName), ...Object.values(notNeeded)])
      .flatMap((text) => [...text.matchAll(/\[([\w.-]+)\] ([A-Z_]+)/g)])
      .map(([name, section, key]) => [name, section.replace(/^storage\.[\w-]+$/, 'storage'), key])
      .filter(
        ([, section, key]) => !settings.some((one) => one.startsWith(`[${section}]`) && one.includes(`\`${key}\``)),
      );
    expect(missing.map(([name]) => name)).to.equal([]);
  });

  it('config check says what each line of a file means, and ends with 1 where one stops a start', () => {
    const text = `APP_NAME = Ours
[security]
PASSWORD_HASH_ALGO = pbkdf2
INTERNAL_TOKEN = hush
[git.timeout]
MIGRATE = 600
[api]
MAX_RESPONSE_ITEMS = 0
[log.file]
FLAGS = stdflags
[sevrer]
DOMAIN = a.example
`;
    const { lines, status } = check(text);
    expect(status).to.equal(0);
    expect(lines).to.equal([
      'app.ini:1\tAPP_NAME\tsame',
      'app.ini:3\t[security] PASSWORD_HASH_ALGO\tother value: is not known here; argon2 is used',
      'app.ini:4\t[security] INTERNAL_TOKEN\tnot needed: hooks talk to the server over a pipe, without a token',
      'app.ini:6\t[git.timeout] MIGRATE\tother name: [git] CLONE_TIMEOUT',
      'app.ini:8\t[api] MAX_RESPONSE_ITEMS\tother value: must be greater than or equal to 1; the default is used',
      'app.ini:10\t[log.file] FLAGS\tnot needed: lines are JSON objects or text ([log] FORMAT), and carry all fields',
      'app.ini:12\t[sevrer] DOMAIN\tunknown: no loaded plugin has it, and it is not in the list of settings of Gitea',
      '7 settings: 1 same, 2 other value, 2 not needed, 1 other name, 1 unknown',
    ]);
    const wrong = check('APP_NAME = Ours\nnothing\n[server]\nHTTP_PORT = many\n', '--differing');
    expect(wrong.status).to.equal(1);
    expect(wrong.lines[0]).to.equal('app.ini:4\t[server] HTTP_PORT\twrong: must be a number');
    expect(wrong.lines[1]).to.match(/^refuses the start: .*app\.ini:2: "nothing" is neither/);
    mkdirSync(join(folder, 'theirs', 'ada', 'engine.git'), { recursive: true });
    const root = check(`[repository]\nROOT = ${join(folder, 'theirs')}\n`);
    expect(root.status).to.equal(1);
    expect(root.lines[0]).to.match(
      /^app\.ini:2\t\[repository\] ROOT\twrong: names .*another server \(ada\/engine\.git\)/,
    );
    const secret = check('[security]\nSECRET_KEY_URI = /run/secrets/x\n');
    expect(secret.status).to.equal(1);
    expect(secret.lines[0]).to.equal(
      'app.ini:2\t[security] SECRET_KEY_URI\twrong: must be an address such as file:/run/secrets/name',
    );
  });

  it('takes what Gitea takes for any word, and says what is used instead', () => {
    const { lines, status } = check(
      `[repository]
GO_GET_CLONE_URL_PROTOCOL = ftp
[ui]
EXPLORE_PAGING_DEFAULT_SORT = luck
[server]
SSL_MIN_VERSION = tlsv9
[cron.cleanup_hook_task_table]
CLEANUP_TYPE = some
`,
    );
    expect(status).to.equal(0);
    expect(lines.slice(0, -1).map((line) => line.replace(/.*\t/, ''))).to.equal(
      ['https', 'recentupdate', 'TLSv1.2', 'OlderThan'].map(
        (value) => `other value: is not known here; ${value} is used`,
      ),
    );
  });
});
