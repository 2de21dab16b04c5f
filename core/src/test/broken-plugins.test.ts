import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { dependentsOf } from '../plugins/disabled.js';
import { compose, createHost, StartError, workspaceRoot, type ComposeOptions } from '../index.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const fixtures = join(workspaceRoot(), 'test', 'fixtures', 'broken-plugins');

describe('plugins that cannot be loaded stop the start, in plain words', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'mortise-broken-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const options = (names: readonly string[], plugins: Record<string, string> = {}): ComposeOptions => ({
    workDir: folder,
    root: folder,
    environment: {},
    logLevel: 'none',
    settings: { plugins: { OPTIONAL: '', PATHS: names.map((name) => join(fixtures, name)).join(','), ...plugins } },
  });

  async function problemsOf(work: () => Promise<unknown>): Promise<string> {
    try {
      await work();
    } catch (error) {
      if (error instanceof StartError) return error.problems.join('\n');
      throw error;
    }
    return '';
  }
  const problems = (...names: string[]) => problemsOf(() => compose(options(names)));

  const sentences: [names: string[], parts: string[]][] = [
    [['missing-requirement'], ['missing-requirement requires not-there ^1.0.0, which is not there']],
    [
      ['cycle-one', 'cycle-two', 'cycle-three'],
      ['cycle-one → cycle-two → cycle-three → cycle-one', 'in a circle'],
    ],
    [['sdk-too-new'], ['sdk-too-new 1.0.0 wants the SDK ^99.0.0, but this is 1.']],
    [['version-clash', 'sound'], ['version-clash requires sound ^2.0.0, but this is sound 1.0.0']],
    [
      ['owner-twice', 'sound'],
      [
        'the setting [sound] GREETING is declared by owner-twice and by sound',
        'the service sound.greeter',
        'the table sound is created by owner-twice and by sound',
      ],
    ],
    [['broken-import'], ['broken-import cannot be loaded', 'a-package-that-is-not-there']],
    [['syntax-error'], ['syntax-error cannot be loaded']],
    [['no-definition'], ['no-definition gives no definition']],
    [['wrong-name'], ['calls itself another-name']],
    [['not-built'], ['not-built is not built', 'plugin.mjs is missing']],
    [['throws-in-register'], ['throws-in-register fails while it registers: out of cheese']],
    [
      ['promise-unkept'],
      [
        'promises the service promise-unkept.service and does not make it',
        'promises the job promise-unkept.job and does not run it',
      ],
    ],
    [['needs-unknown-service'], ['needs the service ghost.service for its start, and no loaded plugin provides it']],
    [['service-circle'], ['service-circle.hen → service-circle.egg → service-circle.hen']],
    [['wrong-versions'], ['no semantic version', 'no range such as ^1.0.0']],
    [['key-twice'], ['both contribute "twice" to core.navigation']],
    [['reads-point-too-early'], ['core.navigation is read too early']],
    [
      ['schedule-without-job'],
      ['the schedule nightly of schedule-without-job enqueues the job schedule-without-job.nothing'],
    ],
    [['task-twice'], ['the task sweep_all is of task-twice already']],
  ];
  for (const [names, parts] of sentences) {
    it(names.join(', '), async () => {
      const said = await problems(...names);
      for (const part of parts) expect(said).to.contain(part);
    });
  }

  it('all problems are told at once', async () => {
    const said = await problems(
      'missing-requirement',
      'sdk-too-new',
      'broken-import',
      'service-circle',
      'no-definition',
    );
    for (const name of ['missing-requirement', 'sdk-too-new', 'broken-import', 'service-circle', 'no-definition'])
      expect(said).to.contain(name);
  });

  const startProblems = (...names: string[]) =>
    problemsOf(async () => {
      const host = await createHost({ ...options(names), workDir: mkdtempSync(join(folder, 'work-')) });
      try {
        await host.start();
      } finally {
        await host.stop();
      }
    });

  it('a route without a declaration of access is not served', async () => {
    expect(await startProblems('route-without-access')).to.contain(
      'GET /api/v1/open-door of route-without-access does not say who may use it',
    );
  });

  it('the same route registered by two plugins is reported with both', async () => {
    const clash = {
      ...options([]),
      settings: {},
      plugins: ['first', 'second'].map((name) => ({
        name,
        version: '1.0.0',
        sdk: '^1.0.0',
        register: (door: import('@mortise/plugin-sdk').PluginHost) =>
          door.routes({}, () => [
            { method: 'GET', path: `/api/v1/same/{${name}}`, access: { actor: 'anyone' }, handler: () => name },
          ]),
      })),
    } satisfies ComposeOptions;
    const said = await problemsOf(async () => {
      const host = await createHost({ ...clash, workDir: mkdtempSync(join(folder, 'work-')) });
      try {
        await host.start();
      } finally {
        await host.stop();
      }
    });
    expect(said).to.contain('the route GET /api/v1/same/{second} is declared by first and by second');
  });

  it('declaring after register is refused', async () => {
    await expect(startProblems('asks-too-late')).to.reject(/declares a contribution to core.navigation too late/);
  });

  it('the operator may call a plugin optional; what requires it still fails', async () => {
    const sound = await compose(
      options(['sound', 'broken-import', 'missing-requirement'], { OPTIONAL: 'broken-import, missing-requirement' }),
    );
    expect(sound.plugins.map((one) => one.definition.name)).to.equal(['sound']);
  });

  it('of a disabled plugin nothing is run, and it is missed by name', async () => {
    const composition = await compose(
      options(['sound', 'broken-import', 'throws-in-register'], { DISABLED: 'broken-import throws-in-register' }),
    );
    expect(composition.plugins.map((one) => one.definition.name)).to.equal(['sound']);
    expect(composition.directory.list().filter((one) => !one.enabled)).to.have.length(2);
    const said = await problemsOf(() => compose(options(['version-clash', 'sound'], { DISABLED: 'sound' })));
    expect(said).to.contain('requires sound ^2.0.0, which is disabled');
    expect(said).to.contain('[plugins] DISABLED = sound, version-clash');
  });

  it('O5: a name with * disables all that fit, and what needs them is said as the shortest list', async () => {
    const composition = await compose(
      options(['sound', 'broken-import', 'missing-requirement'], { DISABLED: 'broken-*,missing*' }),
    );
    expect(composition.plugins.map((one) => one.definition.name)).to.equal(['sound']);
    const chain: readonly { name: string; requires?: Record<string, string> }[] = [
      { name: 'shop', requires: { till: '*' } },
      { name: 'till', requires: { coins: '*' } },
      { name: 'garden' },
    ];
    expect(dependentsOf(chain, new Set(['coins']))).to.equal(['shop', 'till']);
    expect(dependentsOf(chain, new Set(['garden']))).to.equal([]);
  });

  it('only what is enabled is loaded', async () => {
    const composition = await compose(options(['sound', 'throws-in-register'], { ENABLED: 'sound' }));
    expect(composition.plugins.map((one) => one.definition.name)).to.equal(['sound']);
    expect(await problemsOf(() => compose(options(['sound'], { ENABLED: 'sound, nobody' })))).to.contain(
      'ENABLED names nobody',
    );
  });

  it('installed packages with the right names are found, also below a scope; each folder once', async () => {
    const root = mkdtempSync(join(folder, 'installed-'));
    mkdirSync(join(root, 'node_modules', '@acme'), { recursive: true });
    symlinkSync(join(fixtures, 'sound'), join(root, 'node_modules', 'mortise-plugin-sound'));
    symlinkSync(join(fixtures, 'key-twice'), join(root, 'node_modules', '@acme', 'mortise-plugin-key-twice'));
    symlinkSync(join(fixtures, 'throws-in-register'), join(root, 'node_modules', 'another-name'));
    const composition = await compose({ ...options(['sound'], { DISABLED: 'key-twice' }), root });
    expect(composition.plugins.map((one) => one.definition.name)).to.equal(['sound']);
    expect(composition.disabled.map((one) => `${one.name} ${one.from}`)).to.equal(['key-twice installed']);
  });

  it('signing in is never optional', async () => {
    const auth = { name: 'auth-odd', version: '1.0.0', sdk: '^99.0.0', register: () => undefined };
    const said = await problemsOf(() =>
      compose({ ...options([], { OPTIONAL: '*' }), settings: { plugins: { OPTIONAL: '*' } }, plugins: [auth] }),
    );
    expect(said).to.contain('auth-odd 1.0.0 wants the SDK ^99.0.0');
  });

  it('a folder without plugins in PATHS is told', async () => {
    expect(
      await problemsOf(() => compose({ ...options([]), settings: { plugins: { PATHS: join(folder, 'nothing') } } })),
    ).to.contain('there is no plugin in it');
  });
});
