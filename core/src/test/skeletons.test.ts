//   MORTISE_TEST_FULL=1   each kind of skeleton is built from a clone instead of the first one
// Database: SQLite alone; the tests of the plugins that it writes run on MariaDB as well.
import { spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { defineService, type Actor } from '@mortise/plugin-sdk';
import { writeSkeleton, type Kind } from '../cli/new-plugin.js';
import { createHost, StartError, workspaceRoot, type Host } from '../index.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const root = workspaceRoot();
/** The one that skeletons ask for. */
const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript-native/package.json')), 'bin/tsc');
const labProgram = join(root, 'node_modules', '@hapi', 'lab', 'bin', 'lab');
const accounts = defineService<{ create(account: object): Promise<{ id: number }> }>('accounts.accounts');
const basic = { authorization: `Basic ${Buffer.from('ada:correct horse').toString('base64')}` };

/** Only their own tests have to do with the database, and run on both. */
const engines = process.env.MORTISE_TEST_MYSQL ? ['sqlite', 'mysql'] : ['sqlite'];

interface Proof {
  readonly kind: Kind;
  readonly plugin: string;
  readonly others: readonly string[];
  readonly settings?: Record<string, Record<string, string>>;
  /** One thing that only works when the plugin is on. */
  use(base: string): Promise<Response>;
  /** Part of the API documents that only the plugin adds. */
  readonly documented?: string;
}

const hook = JSON.stringify({
  type: 'toys',
  active: true,
  events: ['push'],
  config: { url: 'http://127.0.0.1:1/', content_type: 'json', channel: '#builds' },
});
const signature = createHmac('sha256', 'shared').update('ada').digest('hex');

const proofs: Proof[] = [
  {
    kind: 'plugin',
    plugin: 'toys',
    others: ['auth-basic'],
    documented: '/user/toys',
    use: (base) => fetch(`${base}/api/v1/user/toys`, { headers: basic }),
  },
  {
    kind: 'auth-method',
    plugin: 'auth-toys',
    others: ['auth-basic'],
    settings: { 'auth-toys': { SECRET: 'shared' } },
    use: (base) => fetch(`${base}/api/v1/user`, { headers: { authorization: `Toys ada:${signature}` } }),
  },
  {
    kind: 'webhook-kind',
    plugin: 'webhook-toys',
    others: ['auth-basic', 'webhooks'],
    use: (base) =>
      fetch(`${base}/api/v1/user/hooks`, {
        method: 'POST',
        body: hook,
        headers: { ...basic, 'content-type': 'application/json' },
      }),
  },
  {
    kind: 'package-format',
    plugin: 'package-toys',
    others: ['auth-basic', 'packages'],
    use: (base) => fetch(`${base}/api/packages/ada/toys/bear/1.0.0`, { method: 'PUT', body: 'growl', headers: basic }),
  },
];

describe('mortise plugins new writes skeletons that work', { timeout: 600_000 }, () => {
  let outside: string;

  before(() => {
    outside = mkdtempSync(join(tmpdir(), 'mortise-skeletons-'));
    layModules(join(outside, 'node_modules'));
  });
  after(() => rmSync(outside, { recursive: true, force: true }));

  /** The modules of an author's folder: the SDK as it would be published, contracts of plugins, and what both need. */
  function layModules(modules: string): void {
    mkdirSync(join(modules, '@mortise'), { recursive: true });
    for (const name of readdirSync(join(root, 'node_modules'))) {
      if (name !== '@mortise' && !name.startsWith('.package'))
        symlinkSync(join(root, 'node_modules', name), join(modules, name));
    }
    const packed = spawnSync('npm', ['pack', '--silent', '--pack-destination', outside], {
      cwd: join(root, 'plugin-sdk'),
      encoding: 'utf8',
      shell: process.platform === 'win32',
    });
    const archive = packed.stdout.trim().split('\n').at(-1)!;
    expect(packed.status, packed.stderr).to.equal(0);
    spawnSync('tar', ['-xf', join(outside, archive), '-C', outside]);
    cpSync(join(outside, 'package'), join(modules, '@mortise', 'plugin-sdk'), { recursive: true });
    for (const name of readdirSync(join(root, 'plugins'))) {
      const folder = join(root, 'plugins', name);
      if (!existsSync(join(folder, 'dist', 'api.js')) || !existsSync(join(folder, 'package.json'))) continue;
      for (const part of ['package.json', 'dist'])
        cpSync(join(folder, part), join(modules, '@mortise', name, part), { recursive: true });
    }
  }

  const actorOf = (app: unknown) => (app as { actor?: Actor } | undefined)?.actor;

  async function withHost(
    proof: Proof,
    folder: string,
    more: Record<string, string>,
    work: (host: Host) => Promise<void>,
  ): Promise<void> {
    const off = more.DISABLED !== undefined;
    const host = await createHost({
      workDir: mkdtempSync(join(outside, 'work-')),
      environment: {},
      logLevel: 'none',
      plugins: [...(off ? [] : [proof.plugin]), ...proof.others],
      settings: {
        server: { HTTP_PORT: 0, HTTP_ADDR: '127.0.0.1' },
        plugins: { PATHS: folder, ...more },
        ...(off ? {} : proof.settings),
      },
      actorOf,
    });
    try {
      await host.start({ background: false });
      await host.get(accounts).create({ name: 'ada', email: 'ada@example.com', password: 'correct horse' });
      await work(host);
    } finally {
      await host.stop();
    }
  }

  const navigation = async (host: Host) => {
    const actor: Actor = {
      kind: 'user',
      id: 1,
      name: 'ada',
      isAdmin: false,
      isRestricted: false,
      method: 'test',
      publicOnly: false,
    };
    return (await host.inject({ url: '/api/swagger', headers: { accept: 'text/html' }, app: { actor } as never }))
      .payload;
  };

  for (const proof of proofs) {
    const { kind, plugin, use, documented } = proof;
    describe(`${kind}`, () => {
      let folder: string;

      it('is written and compiles against the packed SDK', () => {
        folder = join(outside, plugin);
        const written = writeSkeleton(kind, 'toys', folder);
        expect(written.plugin).to.equal(plugin);
        const compiled = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' });
        expect(compiled.stdout + compiled.stderr).to.equal('');
        expect(compiled.status).to.equal(0);
      });

      for (const engine of engines)
        it(`passes its own tests on ${engine}`, () => {
          const tests = readdirSync(join(folder, 'dist', 'test')).filter((name) => name.endsWith('.test.js'));
          const run = spawnSync(
            process.execPath,
            [labProgram, '-l', '-m', '300000', ...tests.map((name) => join('dist', 'test', name))],
            {
              cwd: folder,
              encoding: 'utf8',
              env: { ...process.env, MORTISE_HOME: root, MORTISE_TEST_ENGINE: engine },
            },
          );
          expect(run.status, run.stdout + run.stderr).to.equal(0);
        });

      it('is loaded by path and used over HTTP', async () => {
        await withHost(proof, folder, {}, async (host) => {
          const answer = await use(await host.listen());
          expect(answer.status, await answer.text()).to.be.between(199, 300);
          if (documented) {
            expect((await host.inject('/swagger.v1.json')).payload).to.contain(documented);
            expect(await navigation(host)).to.contain(`href="/${plugin}"`);
          }
        });
      });

      it('leaves nothing behind when it is off', async () => {
        await withHost(proof, folder, { DISABLED: plugin }, async (host) => {
          const answer = await use(await host.listen());
          expect(answer.status).to.be.between(399, 500);
          expect(host.pluginDirectory.has(plugin)).to.be.false();
          expect(host.composition.declarations.contributions.some((one) => one.owner === plugin)).to.be.false();
          if (documented) {
            expect((await host.inject('/swagger.v1.json')).payload).to.not.contain(documented);
            expect(await navigation(host)).to.not.contain(`href="/${plugin}"`);
          }
        });
      });

      it('packs what is needed and no tests', () => {
        const packed = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
          cwd: folder,
          encoding: 'utf8',
          shell: process.platform === 'win32',
        });
        const [list] = Object.values(JSON.parse(packed.stdout) as Record<string, { files: { path: string }[] }>);
        const paths = list!.files.map((one) => one.path);
        expect(paths).to.include(['package.json', 'README.md', 'CHANGELOG.md', 'dist/plugin.js']);
        expect(
          paths.filter((path) => !/^dist\/(?!test\/)|^(package\.json|README\.md|CHANGELOG\.md)$/.test(path)),
        ).to.equal([]);
      });

      // what builds it is the same in each kind
      if (kind === 'plugin' || process.env.MORTISE_TEST_FULL)
        it('is built from a clone, against the Mortise that MORTISE_HOME names', () => {
          const clone = mkdtempSync(join(tmpdir(), 'mortise-clone-'));
          try {
            const ignored = ['node_modules', 'dist', '.mortise-home'];
            cpSync(folder, clone, {
              recursive: true,
              filter: (path) => !ignored.includes(path.slice(folder.length + 1)),
            });
            expect(readFileSync(join(folder, '.gitignore'), 'utf8').split(/\/?\n/)).to.include(ignored);
            // What npm would install of the development dependencies.
            for (const name of ['@types', '@hapi']) {
              mkdirSync(join(clone, 'node_modules'), { recursive: true });
              symlinkSync(join(root, 'node_modules', name), join(clone, 'node_modules', name));
            }
            const environment = { ...process.env, MORTISE_HOME: '' };
            const alone = spawnSync(process.execPath, ['link.mjs'], { cwd: clone, encoding: 'utf8', env: environment });
            expect([alone.status, alone.stdout]).to.equal([
              0,
              'No Mortise to build against: set MORTISE_HOME to the folder of one that is built, and run: node link.mjs\n',
            ]);
            const linked = spawnSync(process.execPath, ['link.mjs'], {
              cwd: clone,
              encoding: 'utf8',
              env: { ...process.env, MORTISE_HOME: root },
            });
            expect(linked.stdout + linked.stderr).to.equal('');
            const compiled = spawnSync(process.execPath, [tsc, '-p', clone], { encoding: 'utf8' });
            expect(compiled.stdout + compiled.stderr).to.equal('');
          } finally {
            rmSync(clone, { recursive: true, force: true });
          }
        });

      it('is refused when its range does not fit the SDK', async () => {
        const misfit = `${folder}-misfit`;
        cpSync(folder, misfit, { recursive: true });
        const about = join(misfit, 'package.json');
        const range = /("@mortise\/plugin-sdk": )"[^"]*"/;
        writeFileSync(about, readFileSync(about, 'utf8').replace(range, '$1"^99.0.0"'));
        const error = await expect(withHost(proof, misfit, { OPTIONAL: '' }, async () => undefined)).to.reject(
          StartError,
        );
        expect(error.message).to.contain(`the plugin ${plugin} 0.1.0 wants the SDK ^99.0.0`);
      });
    });
  }
});
