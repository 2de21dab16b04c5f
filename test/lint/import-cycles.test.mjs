// No file imports itself by way of others: a cycle leaves one of them half loaded, and nothing can be split off.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';

const root = fileURLToPath(new URL('../../', import.meta.url));

export const lab = Lab.script();
const { describe, it } = lab;

function* sourcesBelow(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!['dist', 'node_modules', 'test'].includes(entry.name)) yield* sourcesBelow(path);
    } else if (/\.tsx?$/.test(entry.name) && !entry.name.endsWith('.d.ts')) yield path;
  }
}

/** Static imports and re-exports; types vanish when they are compiled. */
const statements = /^(?:import|export)\s+(type\s+)?([^'";]*?\bfrom\s+)?['"](\.[^'"]+)['"]/gm;

function importsOf(file) {
  const found = new Set();
  for (const [, type, names = '', path] of readFileSync(file, 'utf8').matchAll(statements)) {
    const braces = /^\{([^}]*)\}\s*from\s+$/.exec(names);
    const onlyTypes = braces && braces[1].split(',').every((name) => !name.trim() || /^type\s/.test(name.trim()));
    if (type || onlyTypes) continue;
    const base = resolve(dirname(file), path).replace(/\.js$/, '');
    const target = [`${base}.ts`, `${base}.tsx`].find((one) => existsSync(one));
    if (target) found.add(target);
  }
  return found;
}

/** Cycles by depth-first search; each is told once, from where it was entered. */
export function cyclesOf(graph) {
  const state = new Map();
  const path = [];
  const cycles = [];
  const visit = (node) => {
    state.set(node, 'open');
    path.push(node);
    for (const next of graph.get(node) ?? []) {
      if (state.get(next) === 'open') cycles.push([...path.slice(path.indexOf(next)), next]);
      else if (!state.has(next)) visit(next);
    }
    path.pop();
    state.set(node, 'done');
  };
  for (const node of graph.keys()) if (!state.has(node)) visit(node);
  return cycles;
}

describe('imports', () => {
  it('finds a cycle where there is one', () => {
    const graph = new Map([
      ['a', ['b']],
      ['b', ['c', 'd']],
      ['c', []],
      ['d', ['b']],
    ]);
    expect(cyclesOf(graph)).to.equal([['b', 'd', 'b']]);
  });

  it('make no cycle within a package', () => {
    const folders = ['plugin-sdk', 'core', ...readdirSync(join(root, 'plugins')).map((name) => `plugins/${name}`)];
    const files = folders.flatMap((folder) => [...sourcesBelow(join(root, folder))]);
    expect(files.length).to.be.above(500);
    const graph = new Map(files.map((file) => [file, importsOf(file)]));
    expect([...graph.values()].reduce((sum, imports) => sum + imports.size, 0)).to.be.above(1000);
    const cycles = cyclesOf(graph);
    expect(cycles.map((cycle) => cycle.map((file) => relative(root, file)).join(' → '))).to.equal([]);
  });

  it('make no cycle between packages', () => {
    const names = readdirSync(join(root, 'plugins'));
    const graph = new Map(
      names.map((name) => {
        const { references } = JSON.parse(readFileSync(join(root, 'plugins', name, 'tsconfig.json'), 'utf8'));
        return [name, references.map(({ path }) => path.split('/').at(-1)).filter((other) => names.includes(other))];
      }),
    );
    expect(cyclesOf(graph)).to.equal([]);
  });
});
