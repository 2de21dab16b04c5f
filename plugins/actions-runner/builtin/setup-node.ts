import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { containerUser } from './container.js';
import { addPath, input, setOutput, setVariable, variable } from './kit.js';

/**
 * `actions/setup-node`: takes the Node of the tool folder (`node/{version}/{x64|arm64}/bin`, as it is usual there), of PATH,
 * or that of the runner, whichever fits; in a container one that runs there. Nothing is downloaded. Inputs node-version,
 * node-version-file, registry-url, scope.
 */
export function setupNode(): void {
  const wanted = (input('node-version') || fromFile()).replace(/^v/, '');
  const all = containerUser() === '' ? candidates() : insideContainer();
  const found = all.find(({ version }) => fits(version, wanted));
  if (!found) {
    const versions = all.map(({ version }) => version).join(', ') || 'none';
    const others = `below ${variable('RUNNER_TOOL_CACHE')}/node`;
    throw new Error(
      containerUser() === ''
        ? `there is no Node ${wanted}: found ${versions}. Put others ${others}`
        : `there is no Node ${wanted} that runs in the container: found ${versions}. Take an image that has it, or put one for its system ${others} of the runner`,
    );
  }
  addPath(found.folder);
  setOutput('node-version', `v${found.version}`);
  setOutput('cache-hit', 'false');
  if (input('registry-url')) useRegistry(input('registry-url'), input('scope'));
  if (input('cache')) console.log('::warning::The input "cache" is not obeyed here: use actions/cache');
  console.log(`Node ${found.version} of ${found.folder}`);
}

/** Npm of later steps asks this registry, with the token that they have in NODE_AUTH_TOKEN. */
function useRegistry(address: string, scope: string): void {
  const url = new URL(address.endsWith('/') ? address : `${address}/`);
  const name = scope.toLowerCase().replace(/^(?=[^@])/, '@');
  const file = join(variable('RUNNER_TEMP'), '.npmrc');
  const lines = [
    `//${url.host}${url.pathname}:_authToken=\${NODE_AUTH_TOKEN}`,
    `${name ? `${name}:` : ''}registry=${url.href}`,
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  setVariable('NPM_CONFIG_USERCONFIG', file);
  // Npm refuses a file that names a variable which nobody has set.
  if (!variable('NODE_AUTH_TOKEN')) setVariable('NODE_AUTH_TOKEN', 'none');
}

function fromFile(): string {
  const name = input('node-version-file');
  if (!name) return '';
  const text = readFileSync(resolve(variable('GITHUB_WORKSPACE'), name), 'utf8');
  if (!name.endsWith('package.json')) return text.trim();
  const { engines, volta } = JSON.parse(text) as { engines?: { node?: string }; volta?: { node?: string } };
  return volta?.node ?? engines?.node ?? '';
}

function candidates(): { version: string; folder: string }[] {
  const tools = join(variable('RUNNER_TOOL_CACHE'), 'node');
  const names = existsSync(tools) ? readdirSync(tools) : [];
  const installed = names
    .map((version) => ({ version, folder: join(tools, version, process.arch, 'bin') }))
    .filter(({ folder }) => existsSync(join(folder, 'node')));
  const onPath = variable('PATH')
    .split(':')
    .map((folder) => join(folder, 'node'))
    .find((path) => existsSync(path));
  const others = onPath ? [{ version: versionOf(onPath), folder: dirname(onPath) }] : [];
  const own = { version: process.version.slice(1), folder: dirname(process.execPath) };
  return [...installed, ...others, own].sort((a, b) => order(b.version, a.version));
}

/** Those that were found to run there. */
const insideContainer = (): { version: string; folder: string }[] =>
  [...variable('MORTISE_NODES').matchAll(/^v(\d\S*) (.+)$/gm)]
    .map(([, version = '', folder = '']) => ({ version, folder }))
    .sort((a, b) => order(b.version, a.version));

const versionOf = (path: string): string =>
  execFileSync(path, ['--version'], { encoding: 'utf8' }).trim().replace(/^v/, '');
const numbers = (version: string): number[] => version.split('.').map(Number);

function order(a: string, b: string): number {
  const [left, right] = [numbers(a), numbers(b)];
  for (let at = 0; at < 3; at++) if (left[at] !== right[at]) return (left[at] ?? 0) - (right[at] ?? 0);
  return 0;
}

/** `20`, `20.x`, `^20.1`, `>=18`, `20.1.2`, `lts/*`, `latest`, `*`; alternatives by `||`. */
export function fits(version: string, wanted: string): boolean {
  return wanted.split('||').some((part) => fitsOne(version, part.trim().replace(/^v/, '')));
}

function fitsOne(version: string, wanted: string): boolean {
  if (/^(?:|\*|x|latest|current|node)$/i.test(wanted)) return true;
  if (/^lts(?:\/|$)/i.test(wanted)) return numbers(version)[0]! % 2 === 0;
  const [, sign = '', rest = ''] = /^(>=|\^|~|=)?\s*v?(\d+(?:\.(?:\d+|x|\*)){0,2})$/i.exec(wanted) ?? [];
  if (rest === '') return false;
  const parts = rest
    .split('.')
    .filter((part) => /^\d+$/.test(part))
    .map(Number);
  const have = numbers(version);
  if (sign === '>=') return order(version, [...parts, 0, 0].slice(0, 3).join('.')) >= 0;
  const fixed = sign === '^' ? 1 : sign === '~' ? Math.min(parts.length, 2) : parts.length;
  return (
    parts.slice(0, fixed).every((part, at) => part === have[at]) &&
    order(version, [...parts, 0, 0].slice(0, 3).join('.')) >= 0
  );
}
