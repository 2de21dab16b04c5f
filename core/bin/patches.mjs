// What is left out of libraries where `npm run build` bundles them into one file (docs/decisions/0012): work that each of
// several hundred routes would do again at every start. Not bundled they behave the same.

import { readFile } from 'node:fs/promises';

/** Keyed by the end of the file's path. A patch that no longer fits stops the build: look at what the library does now. */
export const patches = {
  // Each method of a schema copies it: what is copied here is always a map, and a list of plain records.
  'joi/lib/base.js': [
    [
      'target._singleRules = Clone(this._singleRules, { shallow: true });',
      'target._singleRules = new Map(this._singleRules);',
    ],
  ],
  'joi/lib/ref.js': [['copy.refs = Clone(this.refs);', 'copy.refs = this.refs.map((ref) => ({ ...ref }));']],
  // Keys that refer to nothing are validated in their order; sorted would be all of them for each of them.
  'joi/lib/types/keys.js': [
    [
      '            const topo = new Topo.Sorter();',
      `            if (!schema.$_terms.keys.some((child) => child.schema.$_rootReferences().length)) {
                schema.$_terms.keys = new internals.Keys(...schema.$_terms.keys);
                return;
            }

            const topo = new Topo.Sorter();`,
    ],
  ],
  // The sorted list is for `server.table()` alone, which nobody asks for; requests are routed by a tree.
  '@hapi/call/lib/index.js': [
    ['map.routes.sort(internals.sort);', ''],
    ['route: match.record.route };', 'route: match.record.route.made ?? match.record.route };'],
    ['result.push(record.route);', 'result.push(record.route.made ?? record.route);'],
  ],
  // Routes without settings of their own are made when they are first asked for; paths are checked and compared at once.
  '@hapi/hapi/lib/server.js': [
    [
      `    _addRoute(config, server) {
`,
      `    _addRoute(config, server) {

        if (Route.isPlain(config, server)) {
            let route;
            const late = {
                get made() {
                    return route ??= new Route(config, server);
                },
                get public() {
                    return this.made.public;
                }
            };
            this._core.router.add({ method: config.method, path: config.path }, late);
            return;
        }
`,
    ],
  ],
  // Routes without settings of their own have those of the first one of their method, which were merged and checked.
  '@hapi/hapi/lib/route.js': [
    [
      "        Config.apply('route', route, route.method, route.path);\n",
      `        const plain = core.plainSettings ??= new Map();
        const isPlain = internals.Route.isPlain(route, server);
        const known = isPlain && plain.get(route.method.toLowerCase());
        if (!known) {
            Config.apply('route', route, route.method, route.path);
        }
`,
    ],
    [
      "const handler = Config.apply('handler', route.handler ?? config.handler);",
      "const handler = known ? route.handler : Config.apply('handler', route.handler ?? config.handler);",
    ],
    [
      `        const settings = internals.config([core.settings.routes, handlerDefaults, realm.settings, rulesConfig, config]);
        this.settings = Config.apply('routeConfig', settings, method, path);
`,
      `        if (known) {
            this.settings = internals.copy(known);
        }
        else {
            const settings = internals.config([core.settings.routes, handlerDefaults, realm.settings, rulesConfig, config]);
            this.settings = Config.apply('routeConfig', settings, method, path);
            if (isPlain) {
                plain.set(method, internals.copy(this.settings));
            }
        }
`,
    ],
    [
      `    constructor(route, server, options = {}) {
`,
      `    /** No settings of its own, nor of its surroundings. */
    static isPlain(route, { realm, _core: { settings } }) {

        return typeof route.method === 'string' && typeof route.path === 'string' &&
            typeof route.handler === 'function' && Object.keys(route).length === 3 &&
            !realm._rules && !realm.parent?._rules && !realm.settings.bind && !realm.settings.files.relativeTo &&
            !realm.modifiers.route.prefix && !realm.modifiers.route.vhost && !settings.routes.cors &&
            !(settings.router.stripTrailingSlash && route.path.length > 1 && route.path.endsWith('/'));
    }

    constructor(route, server, options = {}) {
`,
    ],
    [
      'internals.config = function (chain) {',
      `// What this file changes in settings lies at most one level deep.
internals.copy = (settings) =>
    Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, isPlainObject(value) ? { ...value } : value]));
const isPlainObject = (value) => value?.constructor === Object;
internals.config = function (chain) {`,
    ],
  ],
};

/** For esbuild. */
export const patchLibraries = {
  name: 'patch-libraries',
  setup(build) {
    for (const [file, changes] of Object.entries(patches)) {
      const filter = new RegExp(`/node_modules/${file.replaceAll('.', '\\.')}$`);
      build.onLoad({ filter }, async ({ path }) => {
        let contents = await readFile(path, 'utf8');
        for (const [from, to] of changes) {
          if (contents.split(from).length !== 2)
            return { errors: [{ text: `${file} is not as patches.mjs knows it` }] };
          contents = contents.replace(from, () => to);
        }
        return { contents, loader: 'js' };
      });
    }
  },
};
