// What `npm run build` makes of knex and objection (docs/decisions/0012): one file each, with its licences.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { server as plain } from '@hapi/hapi';
import plainJoi from 'joi';

export const lab = Lab.script();
const { describe, it } = lab;
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const files = {
  knex: 'core/dist/database/knex',
  '@hapi/hapi': 'core/dist/http/hapi',
  objection: 'plugin-sdk/dist/objection',
  joi: 'plugin-sdk/dist/joi',
  pino: 'core/dist/telemetry/pino',
  semver: 'core/dist/plugins/semver',
  commander: 'core/dist/cli/commander',
};

describe('the bundled libraries', () => {
  it('are one file each, with the licences of what is inside, and a module that hands it on', () => {
    for (const [library, file] of [...Object.entries(files), ['semver', 'plugins/package-npm/dist/semver']]) {
      const [made, module] = ['.cjs', '.js'].map((ending) => readFileSync(join(root, file + ending), 'utf8'));
      for (const text of [made, module]) expect(text.split('\n', 1), file).to.equal([`// ${library} in one file`]);
      expect(module.match(/^(import|export) .* from .*/gm)).to.equal(["import { createRequire } from 'node:module';"]);
      expect(readFileSync(join(root, `${file}.cjs.LICENSES.txt`), 'utf8')).to.match(
        new RegExp(`^${library} [\\d.]+ \\((MIT|ISC|BSD-3-Clause)\\)$`, 'm'),
      );
    }
  });

  it('are CommonJS where they are loaded late and synchronously', () => {
    const file = join(root, 'plugin-sdk/dist/message-format.cjs');
    expect(readFileSync(file, 'utf8')).to.startWith('// intl-messageformat in one file');
    expect(readFileSync(`${file}.LICENSES.txt`, 'utf8')).to.match(/^intl-messageformat [\d.]+ \(BSD-3-Clause\)$/m);
    const { IntlMessageFormat } = createRequire(import.meta.url)(file);
    expect(new IntlMessageFormat('{n, plural, one {# file} other {# files}}', 'en').format({ n: 2 })).to.equal(
      '2 files',
    );
  });

  it('highlight.js has all its languages, from one file for each thread that draws', () => {
    const require = createRequire(join(root, 'plugins/markup/package.json'));
    const file = join(root, 'plugins/markup/dist/data/highlighter.cjs');
    expect(readFileSync(`${file}.LICENSES.txt`, 'utf8')).to.match(/^highlight\.js [\d.]+ \(BSD-3-Clause\)$/m);
    const { highlighting } = require(file);
    expect(highlighting.listLanguages()).to.equal(require('highlight.js').listLanguages());
    expect(highlighting.highlight('let a', { language: 'ts' }).value).to.contain('hljs-keyword');
  });

  it('joi is there once, for plugins that import it and for those that require it', async () => {
    const file = join(root, 'plugin-sdk/dist/joi.cjs');
    expect(readFileSync(file, 'utf8')).to.startWith('// joi in one file');
    expect(createRequire(import.meta.url)(file)).to.shallow.equal((await import('@mortise/plugin-sdk')).Joi);
  });

  it('joi makes the same schemas as the plain one', async () => {
    const { Joi: bundled } = await import('@mortise/plugin-sdk');
    const schemas = [plainJoi, bundled].map((Joi) => {
      const base = Joi.object({ b: Joi.string().max(3).label('B'), a: Joi.number().integer().min(1).default(2) });
      return [
        base,
        base.keys({ b: Joi.string().max(5).max(7), c: Joi.array().items(base) }).unknown(),
        // sorted by what refers to what, and references of copies
        Joi.object({
          x: Joi.number().min(Joi.ref('y')),
          y: Joi.number().less(Joi.ref('z')).required(),
          z: Joi.number(),
        }),
        Joi.object({ p: Joi.when('q', { is: true, then: Joi.required() }), q: Joi.boolean() }).rename('r', 'q'),
        Joi.object({}),
        base.concat(Joi.object({ d: Joi.date(), a: Joi.number().max(9) })),
      ];
    });
    const values = [{ a: 0 }, { b: 'long enough', c: [{ a: 'x' }] }, { x: 1, y: 2, z: 3 }, { r: true }, { d: 'no' }];
    const outcome = (schema) =>
      values.map((value) => {
        const { error, value: given } = schema.validate(value, { abortEarly: false });
        return [String(error), JSON.stringify(given)];
      });
    for (const [index, one] of schemas[0].entries()) {
      expect(JSON.stringify(schemas[1][index].describe())).to.equal(JSON.stringify(one.describe()));
      expect(outcome(schemas[1][index])).to.equal(outcome(one));
    }
    const own = bundled.string().max(3);
    own.max(5);
    expect(own.validate('four').error).to.exist();
  });

  it('the kernel is one file, in which modules keep their own addresses', () => {
    const all = readdirSync(join(root, 'core/dist')).filter((name) => name.endsWith('.bundle.js'));
    const addresses = all.flatMap((name) => [
      ...readFileSync(join(root, 'core/dist', name), 'utf8').matchAll(
        /new URL\("(\.\/[^"]+\.js)", import\.meta\.url\)/g,
      ),
    ]);
    expect(addresses.length).to.be.above(3);
    for (const [, path] of addresses) expect(existsSync(join(root, 'core/dist', path)), path).to.be.true();
  });

  it('hapi gives a route without settings those that it gives the first one', async () => {
    const { server: bundled } = await import(join(root, `${files['@hapi/hapi']}.js`));
    const made = [bundled, plain].map((make) => {
      const server = make();
      for (const path of ['/a', '/b', '/c/{d*}'])
        for (const method of ['GET', 'POST', '*']) server.route({ method, path, handler: () => path });
      server.route({ method: 'GET', path: '/own', handler: () => 1, options: { app: { own: 1 }, cors: true } });
      return server;
    });
    const told = (server) =>
      Object.fromEntries(
        server.table().map(({ method, path, settings }) => [`${method} ${path}`, JSON.stringify(settings)]),
      );
    expect(told(made[0])).to.equal(told(made[1]));
    expect(Object.keys(told(made[0]))).to.have.length(10);
    for (const server of made) {
      expect((await server.inject('/c/x/y')).payload).to.equal('/c/{d*}');
      expect((await server.inject({ url: '/b', method: 'POST' })).payload).to.equal('/b');
      expect(() => server.route({ method: 'GET', path: 'no-slash', handler: () => 1 })).to.throw();
      expect(() => server.route({ method: 'GET', path: '/x', handler: () => 1, options: { nonsense: 1 } })).to.throw();
      const [one, two] = ['/a', '/b'].map((path) => server.match('post', path).settings);
      expect(one.payload).to.not.shallow.equal(two.payload);
    }
  });
});
