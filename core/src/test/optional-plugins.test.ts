import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import {
  defineJob,
  defineService,
  Joi,
  navigation,
  type PluginDefinition,
  type PluginHost,
  type Route,
} from '@mortise/plugin-sdk';
import { openHost, StartError, type HostOptions } from '../index.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const thing = defineService<{ name: string }>('shaky.thing');
const work = defineJob<object>('shaky.work');
const fail = (why: string) => (): never => {
  throw new Error(why);
};
const route = (path: string, more: object = {}): Route =>
  ({ method: 'GET', path, access: { actor: 'anyone' }, handler: () => 'here', ...more }) as unknown as Route;

describe('[plugins] OPTIONAL holds in every phase of the start', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'mortise-optional-'));
    for (const [name, code] of [
      ['broken', 'export async function up() { throw new Error("no such column"); }'],
      ['empty', 'export const nothing = 1;'],
    ] as const) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, 'package.json'), '{ "type": "module" }');
      writeFileSync(join(folder, name, '0001_first.js'), code);
    }
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** What goes wrong, what is said of it, and what a sound plugin beside it declares. */
  const phases: Record<
    string,
    [register: (host: PluginHost) => void, said: string, sound?: (host: PluginHost) => void]
  > = {
    register: [fail('out of cheese'), 'the plugin shaky fails while it registers: out of cheese'],
    'a setting': [
      (host) => void host.settings('shaky', Joi.object({ LEGS: Joi.number().default(3).description('How many') })),
      'the setting [shaky] LEGS is wrong',
    ],
    'a schedule': [
      (host) => {
        host.job(work, {}, {}, async () => undefined);
        host.schedule('nightly', '61 * * * *', work, {});
      },
      'the schedule nightly of shaky has a wrong time, "61 * * * *"',
    ],
    'a migration': [
      (host) => host.migrations(pathToFileURL(join(folder, 'broken/'))),
      'migration shaky/0001_first failed: no such column',
    ],
    'a migration that does nothing': [
      (host) => host.migrations(pathToFileURL(join(folder, 'empty/'))),
      'migration shaky/0001_first exports no up(knex)',
    ],
    'a service': [
      (host) => {
        host.service(thing, {}, fail('no wood'));
        host.routes({ thing }, () => []);
      },
      'the plugin shaky fails to make its service shaky.thing: no wood',
    ],
    'a contribution': [
      (host) => host.contribute(navigation, {}, fail('no door')),
      'the plugin shaky fails to make its contribution to core.navigation: no door',
    ],
    'its routes': [(host) => host.routes({}, fail('no road')), 'the plugin shaky fails to make its routes: no road'],
    'a route without access': [
      (host) => host.routes({}, () => [route('/shaky', { access: undefined })]),
      'the route GET /shaky of shaky does not say who may use it',
    ],
    'a route of the kernel': [
      (host) => host.routes({}, () => [route('/api/v1/version')]),
      "the route GET /api/v1/version is the kernel's own; the plugin shaky cannot replace it",
    ],
    'a route of another': [(host) => host.routes({}, () => [route('/steady')]), 'the route GET /steady is declared by'],
    'its start': [
      (host) => host.onStart({}, async () => fail('no spark')()),
      'the plugin shaky fails to start: no spark',
    ],
  };

  const optionsOf = (register: PluginDefinition['register'], optional: string): HostOptions => ({
    workDir: mkdtempSync(join(folder, 'work-')),
    environment: {},
    logLevel: 'none',
    settings: { plugins: { OPTIONAL: optional }, shaky: { LEGS: 'many' }, server: { HTTP_PORT: 0 } },
    plugins: [
      { name: 'shaky', version: '1.0.0', sdk: '^1.0.0', register },
      {
        name: 'steady',
        version: '1.0.0',
        sdk: '^1.0.0',
        register: (host) => host.routes({}, () => [route('/steady')]),
      },
    ],
  });

  for (const [phase, [register, said]] of Object.entries(phases)) {
    it(`${phase}: goes on without, and says why`, async () => {
      const host = await openHost(optionsOf(register, 'shaky'), (one) => one.start({ background: false }));
      try {
        expect(host.pluginDirectory.has('shaky')).to.be.false();
        const [left] = host.pluginDirectory.list().filter((one) => one.problem);
        expect(left?.name).to.equal('shaky');
        expect(left?.problem).to.contain(said);
        expect((await host.inject('/steady')).statusCode).to.equal(200);
        expect((await host.inject('/api/v1/version')).payload).to.contain('version');
      } finally {
        await host.stop();
      }
    });

    it(`${phase}: stops the start where nobody called it optional`, async () => {
      const refused = await openHost(optionsOf(register, 'other'), (one) => one.start({ background: false })).then(
        () => undefined,
        (error: Error) => error,
      );
      expect(refused?.message).to.contain(said);
    });
  }

  it('what requires it is told with it, and goes too when it is optional itself', async () => {
    const options = optionsOf(fail('out of cheese'), 'shaky, leaning');
    const leaning = { name: 'leaning', version: '1.0.0', sdk: '^1.0.0', requires: { shaky: '^1.0.0' }, register() {} };
    const plugins = [...options.plugins!, leaning];
    const host = await openHost({ ...options, plugins }, (one) => one.start({ background: false }));
    expect(host.pluginDirectory.list().filter((one) => one.problem)).to.have.length(2);
    await host.stop();
    const strict = optionsOf(fail('out of cheese'), 'shaky');
    const error = await expect(openHost({ ...strict, plugins })).to.reject(StartError);
    expect(error.message).to.contain('the plugin leaning requires shaky ^1.0.0, which cannot be loaded');
  });
});
