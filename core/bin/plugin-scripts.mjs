// The script that `npm run build` makes of a plugin: what it is and what it offers to others, in one file
// (docs/decisions/0029, `core/src/plugins/scripts.ts`).
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { build } from 'esbuild';

/**
 * What the host gives such a script (`core/src/plugins/scripts.ts`), and libraries that can be required. A plugin that
 * imports more, if only later, has none.
 */
const given =
  /^(node:.*|@mortise\/plugin-sdk(\/threads)?|@mortise\/[^/]+\/api|preact(\/.*)?|lru-cache|ipaddr\.js|@node-rs\/argon2)$/;

/**
 * Of the compiled plugin in `dist`. Other packages stay outside; what is imported later is run when it is imported. Empty:
 * it can have none.
 */
export async function makePluginScript(dist) {
  for (const old of readdirSync(dist)) if (/\.bundle\.c?js(\.map)?$/.test(old)) rmSync(join(dist, old));
  const entries = ['plugin', 'api'].filter((name) => existsSync(join(dist, `${name}.js`)));
  const others = new Set();
  const made = await build({
    stdin: {
      contents: entries.map((name) => `exports.${name} = () => require('./${name}.js');`).join('\n'),
      resolveDir: dist,
    },
    outfile: join(dist, 'plugin.bundle.cjs'),
    bundle: true,
    packages: 'external',
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    sourcemap: 'linked',
    write: false,
    plugins: [asOfModules(dist), noting(others)],
    logLevel: 'warning',
  });
  if (others.size > 0) return [];
  const importing = { path: join(dist, 'plugin.import.js'), contents: 'export default (name) => import(name);\n' };
  return [...made.outputFiles, importing];
}

/** Libraries, not own files: those are in the script. */
const importsLibrary = /(?<![\w$.])import\((?=\s*['"`][^./])/g;

/**
 * Modules keep the addresses that they have by themselves. What they import later is imported for them: a script that was
 * kept cannot, because Node 20 forgets who would do it.
 */
const asOfModules = (dist) => ({
  name: 'as-of-modules',
  setup(build) {
    build.onLoad({ filter: /\.js$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      if (!path.startsWith(dist)) return undefined;
      const own = JSON.stringify(`./${relative(dist, path).replaceAll(sep, '/')}`);
      const contents = text.replaceAll('import.meta.url', `__addressOf(${own})`).replace(importsLibrary, '__import(');
      return { contents, loader: 'js' };
    });
  },
});

const noting = (others) => ({
  name: 'noting',
  setup(build) {
    build.onResolve({ filter: /^[^.]/ }, ({ path, kind }) => {
      if (kind === 'import-statement' && !given.test(path)) others.add(path);
      return undefined;
    });
  },
});
