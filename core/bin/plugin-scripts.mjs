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
  /^(node:.*|@mortise\/plugin-sdk(\/threads)?|@mortise\/[^/]+\/api|preact(\/.*)?|lru-cache|@node-rs\/argon2)$/;

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
    keepNames: true,
    write: false,
    plugins: [withAddresses(dist), noting(others)],
    logLevel: 'warning',
  });
  return others.size > 0 ? [] : made.outputFiles;
}

/** Modules keep the addresses that they have by themselves. */
const withAddresses = (dist) => ({
  name: 'with-addresses',
  setup(build) {
    build.onLoad({ filter: /\.js$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      if (!path.startsWith(dist) || !text.includes('import.meta.url')) return undefined;
      const own = JSON.stringify(`./${relative(dist, path).replaceAll(sep, '/')}`);
      return { contents: text.replaceAll('import.meta.url', `__addressOf(${own})`), loader: 'js' };
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
