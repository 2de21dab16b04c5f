// Every route gets odd path values, wrong types and broken bodies: a clear 4xx, never a 5xx, and the server stays up.
// Time: about 30 s
//
//   MORTISE_TEST_FULL=1   each value in each path
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { lightClient } from '../support/light-client.mjs';
import { startServer } from '../support/server.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** What databases take differently: sizes of numbers and texts, bytes that are no text, and their own signs. */
const oddForDatabases = [
  '%00',
  '%ff',
  'x'.repeat(300),
  '%F0%9F%A6%8A',
  '0',
  '-1',
  '99999999999999999999',
  'null',
  '%25',
  "'%22;--",
  '%20',
];
/** Plain words to a database: what is odd in them is for paths, routes and git. */
const oddForPaths = [
  '..',
  '%2e%2e',
  '%2F',
  'a%2Fb',
  '.git',
  '-leading',
  '--upload-pack=x',
  'HEAD',
  'refs%2Fheads%2Fmain',
];
const bodiesOfJson = ['{"name": 1}', '{"name": {"a": []}}', `{"name": "${'x'.repeat(100_000)}"}`, '{"files": "no"}'];
/** No objects, so no handler sees them. */
const brokenBodies = ['', '{', '[]', 'null', '"text"', '{"a":'.repeat(2000)];
// on each database what reaches it, and on one the rest
const isFull = Boolean(process.env.MORTISE_TEST_FULL);
const isSecond = process.env.MORTISE_TEST_ENGINE === 'mysql';
const odd = isSecond ? oddForDatabases : [...oddForPaths, ...oddForDatabases];
/** Each path takes every other value: each kind of path meets every value. */
const isInTurn = (path, value) => isFull || (path + value) % 2 === 0;
const bodies = isSecond ? bodiesOfJson : [...brokenBodies, ...bodiesOfJson];

describe('odd names and broken bodies', { timeout: 1_800_000 }, () => {
  let server;
  let ask;
  let paths;
  before(async () => {
    server = await startServer();
    const authorization = `Basic ${Buffer.from('root:password').toString('base64')}`;
    ask = lightClient(`${server.base}/api/v1`, { authorization, accept: '*/*' });
    await server.api('POST', '/user/repos', { body: { name: 'odd', auto_init: true } });
    const document = (await server.api('GET', `${server.base}/openapi3.v1.json`)).json;
    paths = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods)
        .filter((method) => /^(get|post|put|patch|delete)$/.test(method))
        .map((method) => [method.toUpperCase(), path]),
    );
  });
  after(() => {
    ask?.close();
    return server?.close();
  });

  it('documents a good number of operations', () => {
    expect(paths.length).to.be.above(120);
  });

  it('ERR-20: answers odd path values with 4xx and one shape', async () => {
    const wrong = [];
    const known = { owner: 'root', username: 'root', repo: 'odd', collaborator: 'root' };
    for (const [at, [method, path]] of paths.entries()) {
      const names = [...path.matchAll(/\{(\w+)\*?\}/g)].map(([, name]) => name);
      for (const name of names) {
        // Destructive operations on the real fixtures are left to their own tests.
        for (const value of odd.filter((_, order) => isInTurn(at, order))) {
          const filled = path.replace(/\{(\w+)\*?\}/g, (_, key) => (key === name ? value : (known[key] ?? '1')));
          if (method === 'DELETE' && /^\/(repos\/root\/odd|admin\/users\/root|user)$/.test(filled)) continue;
          const body = method === 'GET' || method === 'DELETE' ? undefined : {};
          const answer = await ask(method, filled, { body }).catch((error) => ({ status: 599, text: String(error) }));
          if (answer.status >= 500) wrong.push(`${method} ${filled} → ${answer.status} ${answer.text.slice(0, 200)}`);
          else if (
            answer.status >= 400 &&
            answer.status !== 405 &&
            answer.json &&
            typeof answer.json.message !== 'string' &&
            typeof answer.json.error !== 'string'
          )
            wrong.push(`${method} ${filled}: shape ${answer.text.slice(0, 100)}`);
        }
      }
    }
    expect(wrong.slice(0, 40)).to.equal([]);
  });

  it('answers broken bodies with 4xx', async () => {
    const wrong = [];
    const known = { owner: 'root', username: 'root', repo: 'odd', collaborator: 'root' };
    for (const [method, path] of paths.filter(([method]) => method !== 'GET')) {
      const filled = path.replace(/\{(\w+)\*?\}/g, (_, key) => known[key] ?? 'nothing');
      if (method === 'DELETE' && /^\/(repos\/root\/odd|admin\/users\/root|user)$/.test(filled)) continue;
      for (const body of bodies) {
        const answer = await ask(method, filled, { body }).catch((error) => ({ status: 599, text: String(error) }));
        if (answer.status >= 500)
          wrong.push(`${method} ${filled} ${body.slice(0, 40)} → ${answer.status} ${answer.text.slice(0, 200)}`);
      }
    }
    expect(wrong.slice(0, 40)).to.equal([]);
    expect((await server.api('GET', '/version')).status).to.equal(200);
  });
});
