import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { database, defineService, pluginDirectory, type PluginDefinition, type PluginHost } from '@mortise/plugin-sdk';
import { createHost, StartError, type HostOptions } from '../index.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

interface Greeter {
  greet(name: string): string;
}
const greeter = defineService<Greeter>('hello.greeter');
const mood = defineService<{ readonly sign: string }>('mood.mood');
const hall = defineService<{ readonly welcome: string }>('hall.hall');

const plugin = (
  name: string,
  register: (host: PluginHost) => void,
  requires: Readonly<Record<string, string>> = {},
): PluginDefinition => ({ name, version: '1.0.0', sdk: '^1.0.0', requires, register });
const needsHello = { hello: '^1.0.0' };

const hello = plugin('hello', (host) => host.service(greeter, {}, () => ({ greet: (name) => `Hello ${name}` })));
const moody = plugin('mood', (host) => host.service(mood, {}, () => ({ sign: '!' })));
const loud = plugin(
  'loud',
  (host) =>
    host.override(greeter, { mood }, (original, services) => ({
      greet: (name) => original.greet(name).toUpperCase() + services.mood.sign,
    })),
  { ...needsHello, mood: '^1.0.0' },
);
const user = plugin(
  'hall',
  (host) => host.service(hall, { greeter }, (services) => ({ welcome: services.greeter.greet('Ada') })),
  needsHello,
);

describe('services of other plugins', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'mortise-overrides-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const open = (plugins: readonly PluginDefinition[], disabled = '') => {
    const options: HostOptions = {
      workDir: folder,
      root: folder,
      environment: {},
      logLevel: 'none',
      plugins,
      settings: { plugins: { DISABLED: disabled } },
    };
    return createHost(options);
  };
  const refusal = async (...plugins: PluginDefinition[]) => {
    const error = await open([hello, ...plugins]).then(
      (host) => host.stop(),
      (thrown: unknown) => thrown,
    );
    expect(error).to.be.instanceof(StartError);
    return (error as StartError).problems.join('\n');
  };

  it('are overridden for all who use them, whatever the order, and not when the plugin is off', async () => {
    for (const [disabled, said] of [
      ['', 'HELLO ADA!'],
      ['loud', 'Hello Ada'],
    ] as const) {
      const host = await open([user, loud, moody, hello], disabled);
      try {
        expect(host.get(hall).welcome).to.equal(said);
        expect(host.get(greeter).greet('Ada')).to.equal(said);
        await host.migrate();
        const states = await host.get(pluginDirectory).states();
        expect(states.flatMap(({ overrides }) => overrides)).to.equal(disabled ? [] : ['hello.greeter']);
      } finally {
        await host.stop();
      }
    }
  });

  it('are overridden by one plugin alone, never by their own, and those of the kernel by none', async () => {
    const override = (name: string) =>
      plugin(name, (host) => host.override(greeter, {}, (original) => original), needsHello);
    expect(await refusal(override('first'), override('second'))).to.contain(
      'the service hello.greeter is overridden by first and by second',
    );
    expect(
      await refusal(
        plugin('own', (host) => {
          host.service(mood, {}, () => ({ sign: '?' }));
          host.override(mood, {}, (original) => original);
        }),
      ),
    ).to.contain('the plugin own overrides its own service mood.mood');
    expect(await refusal(plugin('takes', (host) => host.override(database, {}, (original) => original)))).to.contain(
      'the plugin takes overrides the service core.database, which is the kernel’s',
    );
    expect(await refusal(plugin('ghost', (host) => host.override(mood, {}, (original) => original)))).to.contain(
      'the plugin ghost overrides the service mood.mood, which no loaded plugin provides',
    );
  });

  it('cannot be overridden by what needs them itself', async () => {
    const circle = plugin(
      'circle',
      (host) => {
        host.service(mood, { greeter }, ({ greeter: { greet } }) => ({ sign: greet('!') }));
        host.override(greeter, { mood }, (original) => original);
      },
      needsHello,
    );
    expect(await refusal(circle)).to.contain('need each other in a circle');
  });

  it('name the plugin that failed to override them', async () => {
    const broken = plugin(
      'broken',
      (host) =>
        host.override(greeter, {}, () => {
          throw new Error('no wrapper');
        }),
      needsHello,
    );
    const host = await open([hello, broken]);
    try {
      expect(() => host.get(greeter)).to.throw(
        'the plugin broken fails to override the service hello.greeter: no wrapper',
      );
    } finally {
      await host.stop();
    }
  });
});
