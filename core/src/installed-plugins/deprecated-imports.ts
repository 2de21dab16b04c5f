import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const sdk = '@mortise/plugin-sdk';
const require = createRequire(import.meta.url);
/** Modules of one plugin that are read; more are no plugin's own. */
const maxModules = 2000;
const maxModuleBytes = 4 * 1024 * 1024;

/** What the SDK exports and is going to take out, by name, with the words of its docstring: `since 1.4.0: use …`. */
export function deprecatedExports(declarations: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const documented =
    /\/\*\*((?:(?!\*\/)[^])*)\*\/\s*export (?:declare )?(?:abstract )?(?:const|function|class|interface|type|enum) (\w+)/g;
  for (const [, text, name] of declarations.matchAll(documented)) {
    const [, note] = /@deprecated\s+([^]*?)(?:\n\s*\*\s*@|$)/.exec(text!) ?? [];
    if (note === undefined) continue;
    const plain = note.replace(/\s*\n\s*\*?\s*/g, ' ').replace(/\{@link (\w+)\}/g, '$1');
    found.set(name!, plain.trim());
  }
  return found;
}

/** Names that the modules import from the SDK. */
export function sdkImports(modules: string): ReadonlySet<string> {
  const clauses = modules.matchAll(/import\s*(?:type\s*)?\{([^}]*)\}\s*from\s*['"]@mortise\/plugin-sdk['"]/g);
  return new Set(
    [...clauses].flatMap(([, names]) =>
      names!
        .split(',')
        .map((one) => one.trim().split(/\s+as\s+/)[0]!)
        .filter((one) => one !== ''),
    ),
  );
}

/** Deprecated exports of the SDK that a plugin imports, in words. */
export function deprecatedImports(folder: string): string[] {
  const sdkFolder = join(dirname(require.resolve(`${sdk}/package.json`)), 'dist');
  const declarations = readdirSync(sdkFolder).filter((name) => name.endsWith('.d.ts'));
  const known = deprecatedExports(declarations.map((name) => readFileSync(join(sdkFolder, name), 'utf8')).join('\n'));
  const imported = sdkImports(modulesOf(folder).join('\n'));
  return [...known].flatMap(([name, note]) => (imported.has(name) ? [`imports ${name}, deprecated ${note}`] : []));
}

function modulesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.[cm]?js$/.test(path) && !/(?:^|[\\/])node_modules[\\/]/.test(path))
    .slice(0, maxModules)
    .map((path) => join(folder, path))
    .filter((path) => statSync(path).size <= maxModuleBytes)
    .map((path) => readFileSync(path, 'utf8'));
}
