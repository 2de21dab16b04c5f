// A shelf of plugins that do harm, each in one way. The code of each is what stands in `register`, or the whole module.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const module = (name, register, { before = '', version = '1.0.0' } = {}) => `
import { authMethods, definePlugin, reply, userMenu, navigation, responseHeaders } from '@mortise/plugin-sdk';
import { h } from 'preact';
${before}
export default definePlugin({
  name: '${name}',
  version: '${version}',
  sdk: '^1.0.0',
  register(host) {
    ${register}
  },
});`;

const route = (path, handler, more = '') =>
  `host.routes({}, () => [{ method: 'GET', path: '${path}', access: { actor: 'anyone' }, ${more} handler: ${handler} }]);`;
const migrated = `host.migrations(new URL('./migrations/', import.meta.url));`;

/** Name → what its `register` does, and its migrations. */
const shelf = {
  'bad-slot': {
    register: `host.contribute(userMenu, { key: 'bad-slot', render() { throw new Error('the slot is jammed'); } });`,
  },
  'bad-component': {
    before: `const Broken = () => { throw new Error('the component is jammed'); };`,
    register: `host.contribute(userMenu, { key: 'bad-component', render: async () => h(Broken, {}) });`,
  },
  'bad-menu': {
    register: `host.contribute(navigation, { key: 'bad-menu', label: 'Jam', href: '/jam', visible() { throw new Error('the menu is jammed'); } });`,
  },
  'bad-headers': {
    register: `host.contribute(responseHeaders, { key: 'bad-headers', headers() { throw new Error('the header is jammed'); } });`,
  },
  'bad-auth': {
    register: `host.contribute(authMethods, {
      key: 'bad-auth', order: 1,
      recognizes: (request) => request.headers['x-badge'] !== undefined,
      authenticate: async () => { throw new Error('the badge reader is jammed'); },
    });`,
  },
  'bad-route': { register: route('/api/v1/bad-route', `() => { throw new Error('the route is jammed'); }`) },
  'bad-promise': {
    register: route(
      '/api/v1/bad-promise',
      `() => { void Promise.reject(new Error('nobody listens')); return reply.text('fine'); }`,
    ),
  },
  'bad-start': { register: `host.onStart({}, async () => { throw new Error('the start is jammed'); });` },
  'endless-start': { register: `host.onStart({}, () => new Promise(() => {}));` },
  'endless-import': { before: 'await new Promise(() => {});', register: '' },
  'loop-import': { before: 'for (;;) {}', register: '' },
  'loop-start': { register: `host.onStart({}, async () => { for (;;) {} });` },
  'kernel-route': { register: route('/api/v1/version', `() => reply.text('mine')`) },
  'used-id': { register: route('/api/v1/used-id', `() => reply.text('x')`, `id: 'getVersion',`) },
  'memory-hog': {
    register: `host.onStart({}, async () => { const all = []; for (;;) all.push(new Array(1e6).fill({})); });`,
  },
  'ends-process': { register: `host.onStart({}, async () => process.exit(0));` },
  'drops-table': { register: migrated, up: `await knex.schema.dropTable('star');` },
  'alters-table': {
    register: migrated,
    up: `await knex.schema.createTable('alters_own', (table) => void table.increments('id'));
      await knex.schema.alterTable('star', (table) => void table.integer('weight').notNullable().defaultTo(1));`,
  },
  'renames-table': { register: migrated, up: `await knex.schema.renameTable('star', 'moon');` },
};

/** Lays a plugin of the shelf, or one like it, into a folder of its own. Gives the folder. */
export function layBadPlugin(folder, name, { version = '1.0.0', ...more } = {}) {
  const { before, register = '', up, migrations = up ? { '0001_first': { up } } : {} } = { ...shelf[name], ...more };
  const target = join(folder, `${name}-${version}`);
  mkdirSync(join(target, 'migrations'), { recursive: true });
  const about = { name: `mortise-plugin-${name}`, version, type: 'module', mortise: { plugin: './plugin.js' } };
  writeFileSync(join(target, 'package.json'), JSON.stringify({ ...about, files: ['plugin.js', 'migrations'] }));
  writeFileSync(join(target, 'plugin.js'), module(name, register, { before, version }));
  for (const [file, { up: does = '', down = '' }] of Object.entries(migrations))
    writeFileSync(
      join(target, 'migrations', `${file}.js`),
      `export async function up(knex) { ${does} }\nexport async function down(knex) { ${down} }`,
    );
  return target;
}

export const migratedPlugin = migrated;
