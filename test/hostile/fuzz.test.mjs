// A schema-driven fuzz run (schemathesis, from PyPI) against the served OpenAPI document: no answer is a 5xx.
// Database: SQLite alone, as nothing here has to do with the database.
// Time: about 90 s
//
//   MORTISE_TEST_FULL=1   5 values for each operation instead of 1; MORTISE_FUZZ_EXAMPLES gives another number
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { pythonProgram } from '../support/python.mjs';
import { startServer } from '../support/server.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const home = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'mortise-test-fuzz');
const program = pythonProgram(home, 'st', 'schemathesis');

describe('schema-driven fuzzing', { timeout: 1_800_000 }, () => {
  let server;
  before(async () => {
    server = await startServer({ settings: { MORTISE__cors__ENABLED: 'false' } });
    await server.api('POST', '/user/repos', { body: { name: 'fuzz', auto_init: true } });
  });
  after(() => server?.close());

  it('schemathesis gets no answer with 5xx from any operation', { skip: program === undefined }, async () => {
    const token = (await server.api('POST', '/users/root/tokens', { body: { name: 'fuzz', scopes: ['all'] } })).json
      .sha1;
    // it waits ten seconds for a document, and making it takes longer on a machine that is busy
    const document = join(server.folder, 'openapi3.v1.json');
    writeFileSync(document, await (await fetch(`${server.base}/openapi3.v1.json`)).text());
    const args = [
      'run',
      document,
      '--url',
      server.base + '/api/v1',
      '--checks',
      'not_a_server_error',
      '--mode',
      'all',
      '--phases',
      'fuzzing',
      '--max-examples',
      process.env.MORTISE_FUZZ_EXAMPLES ?? (process.env.MORTISE_TEST_FULL ? '5' : '1'),
      '--seed',
      '7',
      '--workers',
      '2',
      // how fast this machine is does not matter here
      '--request-timeout',
      '120',
      '--suppress-health-check',
      'all',
      '--generation-database',
      'none',
      '--no-color',
      '-H',
      `Authorization: token ${token}`,
      '--exclude-path-regex',
      'runner|/admin/users/root$',
    ];
    const run = await new Promise((resolve) => {
      const child = spawn(program, args, {
        cwd: server.folder,
        env: { ...process.env, HOME: server.folder },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let text = '';
      child.stdout.on('data', (chunk) => (text += chunk));
      child.stderr.on('data', (chunk) => (text += chunk));
      child.on('close', (code) => resolve({ code, text }));
    });
    expect(run.code, run.text.slice(-6000)).to.equal(0);
    expect((await server.api('GET', '/version')).status).to.equal(200);
  });
});
