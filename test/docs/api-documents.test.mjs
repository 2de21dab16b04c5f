// The API documents of all plugins together: what client generators read.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { createHost } from '@mortise/core';
import { pluginNames } from '../support/plugin-names.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** Models without fields, with the reason. */
const open = new Set([
  'CreateHookOptionConfig', // each kind of webhook has its own
  'ProjectViewOptions', // each layout has its own
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
      plugins: pluginNames(),
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

  it('DOC-05: describes the settings of a user and the topics of a repository as the objects that are answered', () => {
    const { paths, definitions } = documents.swagger;
    const fieldsOf = (path) => {
      const { schema } = paths[path].get.responses['200'];
      return Object.keys(definitions[schema.$ref.split('/').at(-1)].properties).sort();
    };
    expect(fieldsOf('/repos/{owner}/{repo}/topics')).to.equal(['topics']);
    expect(fieldsOf('/user/settings')).to.equal([
      'description',
      'diff_view_style',
      'full_name',
      'hide_activity',
      'hide_email',
      'language',
      'location',
      'theme',
      'website',
    ]);
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

  it('W: has a viewer that a browser shows at once', async () => {
    const { payload } = await host.inject('/api/swagger');
    expect(payload.match(/<[a-z]/g).length).to.be.below(8000);
    expect(payload.length).to.be.below(400_000);
    const linked = [...payload.matchAll(/href="\?operation=([^"]+)"/g)].map(([, id]) => id);
    expect(linked).to.include(operations().map(({ operationId }) => operationId));
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

  it('U12: fields that may be null have a type beside it, as OpenAPI 3.0.3 asks', () => {
    const untyped = [];
    const look = (value, at) => {
      if (typeof value !== 'object' || value === null) return;
      if (value.nullable === true && typeof value.type !== 'string') untyped.push(at);
      for (const [key, inner] of Object.entries(value)) look(inner, `${at}/${key}`);
    };
    look(documents.openapi, '#');
    look(documents.protocols, '#');
    expect(untyped).to.equal([]);
    const { parent } = documents.openapi.components.schemas.Repository.properties;
    expect(parent).to.include({ type: 'object', nullable: true });
  });

  it('U12: objects with any names say what lies under each name, and answers that there may be none of are 404', () => {
    const { schemas } = documents.openapi.components;
    expect(schemas.Team.properties.units_map.additionalProperties.enum).to.include('admin');
    const called = Object.entries(schemas).filter(([, { properties }]) =>
      Object.values(properties ?? {}).some((field) => field.properties?.string),
    );
    expect(called.map(([name]) => name)).to.equal([]);
    for (const path of ['/token', '/signing-key.gpg', '/signing-key.pub'])
      expect(documents.openapi.paths[path].get.responses, path).to.include('404');
  });

  const described = () =>
    Object.entries(documents.openapi.paths).flatMap(([path, ways]) =>
      Object.entries(ways).map(([method, operation]) => ({ name: `${method} ${path}`, ...operation })),
    );

  it('U12: every operation tells of credentials that are refused, and of `sudo` that is not allowed', () => {
    expect(described().length).to.be.above(220);
    const silent = described().filter(({ responses }) => !responses['401'] || !responses['403']);
    expect(silent.map(({ name }) => name)).to.equal([]);
  });

  it('U12: errors are JSON also where files, texts and HTML are answered', () => {
    const others = described().flatMap(({ name, responses }) =>
      Object.entries(responses)
        .filter(([status, { content }]) => status >= '400' && Object.keys(content ?? {}).join() !== 'application/json')
        .map(([status]) => `${name} ${status}`),
    );
    expect(others).to.equal([]);
    const typesOf = (id) =>
      Object.keys(described().find(({ operationId }) => operationId === id).responses[200].content ?? {});
    expect(typesOf('repoGetRawFile')).to.equal(['*/*']);
    expect(typesOf('renderMarkdown')).to.equal(['text/html']);
    expect(typesOf('getSigningKey')).to.equal(['text/plain']);
    expect(typesOf('repoMergePullRequest')).to.equal([]);
  });

  it('S4: every operation that names a second thing is known, with where that thing is asked', () => {
    const found = namingOperations(documents.swagger).toSorted();
    expect(found).to.equal(Object.keys(secondThings).toSorted());
  });
});

/** What names an account, a team, a repository or an issue, other than the one that the address is about. */
const namingField =
  /^(?:owner|repo|repo_name|organization|org|username|user|user_name|assignees?|reviewers|team_reviewers|new_owner|team_ids|team|collaborator|head|.*(?:usernames?|_teams))$/;
/** What an address is about, by its first parameters. */
const subjects = [['owner', 'type', 'name'], ['owner', 'repo'], ['org'], ['owner'], ['id']];
const ofAccount = /^(?:\/admin)?\/users\/\{username\}/;

function namingOperations({ paths, definitions }) {
  const fieldsOf = ({ schema }) => {
    const { $ref } = schema.allOf?.[0] ?? schema;
    return Object.keys((($ref && definitions[$ref.split('/').at(-1)]) ?? schema).properties ?? {});
  };
  const found = [];
  for (const [path, ways] of Object.entries(paths))
    for (const [method, { operationId, parameters = [] }] of Object.entries(ways)) {
      if (!['post', 'put', 'patch', 'delete'].includes(method)) continue;
      const names = [...path.replace(ofAccount, '').matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const about = subjects.find((subject) => subject.every((name, at) => names[at] === name)) ?? [];
      const fields = parameters.filter((one) => one.in === 'body').flatMap(fieldsOf);
      if ([...names.slice(about.length), ...fields].some((name) => namingField.test(name))) found.push(operationId);
    }
  return found;
}

const own = 'the account itself is made or named';
const listed = 'names on a list of a rule, which gives nothing that the account has not by itself';
const leaves = 'takes away';
const blockTest = 'plugins/issues/test/second-target-rights.test.ts';
/** By operation: the test that asks the second thing, or why nothing is to be asked. */
const secondThings = {
  adminCreateOrg: own,
  adminCreateUser: own,
  adminRenameUser: own,
  orgCreate: own,
  repoAddPushMirror: 'an account of another server',
  repoMigrate: 'plugins/migrations/test/import.test.ts',
  userBlockUser: 'plugins/accounts/test/accounts.test.ts',
  userCurrentPutFollow: 'plugins/accounts/test/accounts.test.ts',
  organizationBlockUser: 'plugins/organizations/test/organizations.test.ts',
  orgPublicizeMember: own,
  orgConcealMember: own,
  orgDeleteMember: leaves,
  organizationUnblockUser: leaves,
  userCurrentDeleteFollow: leaves,
  userUnblockUser: leaves,
  createFork: 'plugins/repositories/test/blocked.test.ts',
  generateRepo: 'plugins/forks/test/forks.test.ts',
  repoTransfer: 'plugins/organizations/test/organizations.test.ts',
  linkPackage: 'test/requirements/accounts.test.mjs',
  issueAddAssignees: blockTest,
  issueCreateIssue: blockTest,
  issueEditIssue: blockTest,
  issueAddSubscription: blockTest,
  issueAddTime: blockTest,
  issueCreateIssueBlocking: blockTest,
  issueCreateIssueDependencies: blockTest,
  issueRemoveIssueBlocking: blockTest,
  issueRemoveIssueDependencies: blockTest,
  orgAddTeamMember: blockTest,
  repoAddCollaborator: blockTest,
  issueRemoveAssignees: leaves,
  issueDeleteSubscription: leaves,
  orgAddTeamRepository: 'plugins/organizations/test/organizations.test.ts',
  repoAddTeam: 'plugins/organizations/test/organizations.test.ts',
  orgRemoveTeamMember: leaves,
  orgRemoveTeamRepository: leaves,
  repoDeleteTeam: leaves,
  repoDeleteCollaborator: leaves,
  repoDeletePullReviewRequests: leaves,
  repoCreatePullRequest: 'plugins/reviews/test/reviews.test.ts',
  repoEditPullRequest: 'plugins/reviews/test/reviews.test.ts',
  repoCreatePullReviewRequests: 'plugins/reviews/test/reviews.test.ts',
  repoCreateBranchProtection: listed,
  repoEditBranchProtection: listed,
  repoCreateTagProtection: listed,
  repoEditTagProtection: listed,
  repoCreateOrUpdateEnvironment: 'plugins/actions/test/deployments.test.ts',
};
