// What is left out of libraries where `npm run build` bundles them into one file (docs/decisions/0012): work that each of
// several hundred routes would do again at every start. Not bundled they behave the same.

import { readFile } from 'node:fs/promises';

/** Keyed by the end of the file's path. A patch that no longer fits stops the build: look at what the library does now. */
export const patches = {
  // The sorted list is for `server.table()` alone, which nobody asks for; requests are routed by a tree.
  '@hapi/call/lib/index.js': [['map.routes.sort(internals.sort);', '']],
  // Routes without settings of their own have those of the first one of their method, which were merged and checked.
  '@hapi/hapi/lib/route.js': [
    [
      "        Config.apply('route', route, route.method, route.path);\n",
      `        const plain = core.plainSettings ??= new Map();
        const isPlain = typeof route.method === 'string' && typeof route.path === 'string' &&
            typeof route.handler === 'function' && Object.keys(route).length === 3 &&
            !realm._rules && !realm.parent?._rules && !realm.settings.bind && !realm.settings.files.relativeTo;
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
