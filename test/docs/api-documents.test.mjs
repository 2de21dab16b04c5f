// The API documents of all plugins together: what client generators read.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { createHost } from '@mortise/core';
import { root } from '../support/server.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** Models without fields, with the reason. */
const open = new Set([
  'CreateHookOptionConfig', // each kind of webhook has its own
  'Comment', // issues describe it
  'TeamUnits', // by the names of units
  'Team', // where a repository is handed over with teams
]);

describe('API documents of all plugins', () => {
  let host;
  let folder;
  const documents = {};

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mortise-documents-'));
    host = await createHost({
      workDir: folder,
      environment: {},
      plugins: readdirSync(join(root, 'plugins')),
      settings: { server: { WORKERS: 1 }, security: { SECRET_KEY: 'ab'.repeat(32) } },
      logLevel: 'none',
    });
    await host.start({ background: false });
    for (const [name, url] of [
      ['swagger', '/swagger.v1.json'],
      ['openapi', '/openapi3.v1.json'],
      ['protocols', '/protocols.v1.json'],
    ])
      documents[name] = JSON.parse((await host.inject(url)).payload);
  });
  after(async () => {
    await host?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const operations = () => Object.values(documents.swagger.paths).flatMap((ways) => Object.values(ways));
  const models = () => Object.entries(documents.swagger.definitions);

  it('DOC-06: has every operation, each under its own id', () => {
    const wanted = host
      .routes()
      .map(({ value }) => value)
      .filter(({ path, id, method }) => path.startsWith('/api/v1/') && id && method !== '*');
    const ids = operations().map(({ operationId }) => operationId);
    expect(wanted.filter(({ id }) => !ids.includes(id)).map(({ id }) => id)).to.equal([]);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).to.equal([]);
    expect(ids.length).to.be.above(220);
  });

  it('tells how answers are paged that are no plain lists', () => {
    const paged = operations().filter(({ operationId }) =>
      /ListActionTasks|WorkflowRuns$|WorkflowJobs$/.test(operationId),
    );
    expect(paged.length).to.be.above(5);
    for (const { operationId, parameters } of paged)
      expect(
        parameters.map(({ name }) => name),
        operationId,
      ).to.include(['page', 'limit']);
  });

  it('DOC-06: names each model once and tells its fields', () => {
    const names = models().map(([name]) => name);
    expect(names.length).to.be.above(120);
    expect(names).to.include(['User', 'Repository', 'CreateRepoOption', 'PublicKey', 'Commit', 'Release', 'Package']);
    // a number behind a name, or a small first letter, is how nameless and clashing schemas show
    expect(names.filter((name) => /\d$|^[a-z]/.test(name))).to.equal([]);
    expect(
      models()
        .filter(([name, { properties }]) => !properties && !open.has(name))
        .map(([name]) => name),
    ).to.equal([]);
  });

  it('DOC-06: describes the body of every good answer that has one', () => {
    const vague = operations().flatMap(({ operationId, responses }) =>
      Object.entries(responses)
        .filter(([status, { schema }]) => status < '300' && schema && JSON.stringify(schema) === '{"type":"object"}')
        .map(([status]) => `${operationId} ${status}`),
    );
    expect(vague).to.equal([]);
  });

  it('DOC-01, DOC-02: lists the same operations in both documents', () => {
    const listed = ({ paths }) =>
      Object.entries(paths)
        .flatMap(([path, ways]) => Object.keys(ways).map((method) => `${method} ${path}`))
        .sort();
    expect(listed(documents.openapi)).to.equal(listed(documents.swagger));
  });

  it('shows what goes over the line in the protocol of LFS, from the root of the site', () => {
    const { servers, paths } = documents.protocols;
    const { requestBody, responses } = paths['/{owner}/{repo}/info/lfs/objects/batch'].post;
    const type = 'application/vnd.git-lfs+json';
    expect(servers).to.equal([{ url: '/' }]);
    expect(requestBody.content[type].example.operation).to.equal('download');
    expect(responses[200].content[type].example.objects[0].actions.download.href).to.include('/info/lfs/objects/');
  });

  it('takes switches in a query in all spellings of clients, and none for one that is absent', () => {
    const refused = host.routes().flatMap(({ value: { path, method, request } }) =>
      Object.entries(path.startsWith('/api/v1/') ? (request?.query?.describe().keys ?? {}) : {})
        .filter(([, { type }]) => type === 'boolean')
        .flatMap(([name]) => {
          const { undefined: absent, ...spelt } = Object.fromEntries(
            [undefined, '', 'true', 'True', '1', 't', 'false', 'False', '0', 'f'].map((word) => {
              const { value, error } = request.query.extract(name).validate(word);
              return [String(word || undefined), error ? 'refused' : value];
            }),
          );
          const found = Object.entries(spelt).filter(([word, value]) => value !== /^[t1]/i.test(word));
          return absent === 'refused' || found.length > 0 ? [`${method} ${path}: ${name}`] : [];
        }),
    );
    expect(refused).to.equal([]);
  });

  it('DOC-01, DOC-02: refers to nothing that is missing', () => {
    for (const document of Object.values(documents)) {
      const references = JSON.stringify(document).match(/"\$ref":"#[^"]+"/g);
      expect(references.length).to.be.above(document === documents.protocols ? 0 : 100);
      for (const reference of new Set(references)) {
        const path = reference.slice(10, -1).split('/').map(decodeURIComponent);
        expect(
          path.reduce((at, key) => at?.[key], document),
          reference,
        ).to.exist();
      }
    }
  });
});
