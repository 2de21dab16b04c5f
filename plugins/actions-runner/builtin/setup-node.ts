import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import semver from 'semver';
import { containerUser } from './container.js';
import { addPath, input, setOutput, setVariable, variable } from './toolkit.js';

/**
 * `actions/setup-node`: takes the Node of the tool folder (`node/{version}/{x64|arm64}/bin`, as it is usual there), of PATH,
 * or that of the runner, whichever fits; in a container one that runs there. Nothing is downloaded. Inputs node-version,
 * node-version-file, registry-url, scope.
 */
export function setupNode(): void {
  const wanted = (input('node-version') || versionFromFile()).replace(/^v/, '');
  const all = containerUser() === '' ? installedVersions() : insideContainer();
  const release = all.find(({ version }) => satisfies(version, wanted));
  if (!release) {
    const versions = all.map(({ version }) => version).join(', ') || 'none';
    const others = `below ${variable('RUNNER_TOOL_CACHE')}/node`;
    throw new Error(
      containerUser() === ''
        ? `there is no Node ${wanted}: found ${versions}. Put others ${others}`
        : `there is no Node ${wanted} that runs in the container: found ${versions}. Take an image that has it, or put one for its system ${others} of the runner`,
    );
  }
  addPath(release.folder);
  setOutput('node-version', `v${release.version}`);
  setOutput('cache-hit', 'false');
  if (input('registry-url')) useRegistry(input('registry-url'), input('scope'));
  if (input('cache')) console.log('::warning::The input "cache" is not obeyed here: use actions/cache');
  console.log(`Node ${release.version} of ${release.folder}`);
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
  // npm refuses a file that names a variable which is not set.
  if (!variable('NODE_AUTH_TOKEN')) setVariable('NODE_AUTH_TOKEN', 'none');
}

function versionFromFile(): string {
  const name = input('node-version-file');
  if (!name) return '';
  const text = readFileSync(resolve(variable('GITHUB_WORKSPACE'), name), 'utf8');
  if (!name.endsWith('package.json')) return text.trim();
  const { engines, volta } = JSON.parse(text) as { engines?: { node?: string }; volta?: { node?: string } };
  return volta?.node ?? engines?.node ?? '';
}

function installedVersions(): { version: string; folder: string }[] {
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
  return [...installed, ...others, own].sort((a, b) => compareVersions(b.version, a.version));
}

/** Those that were found to run there. */
const insideContainer = (): { version: string; folder: string }[] =>
  [...variable('MORTISE_NODES').matchAll(/^v(\d\S*) (.+)$/gm)]
    .map(([, version = '', folder = '']) => ({ version, folder }))
    .sort((a, b) => compareVersions(b.version, a.version));

const versionOf = (path: string): string =>
  execFileSync(path, ['--version'], { encoding: 'utf8' }).trim().replace(/^v/, '');
/** For `sort`, lowest first; what is no version comes before all. */
const compareVersions = (a: string, b: string): number =>
  semver.valid(a) && semver.valid(b) ? semver.compare(a, b) : Number(!!semver.valid(a)) - Number(!!semver.valid(b));

/** `20`, `20.x`, `^20.1`, `>=18`, `20.1.2`, `lts/*`, `latest`, `*`; alternatives by `||`. */
export const satisfies = (version: string, wanted: string): boolean =>
  wanted.split('||').some((part) => satisfiesOne(version, part.trim()));

function satisfiesOne(version: string, wanted: string): boolean {
  if (/^(?:|latest|current|node)$/i.test(wanted)) return true;
  if (/^lts(?:\/|$)/i.test(wanted)) return (semver.parse(version)?.major ?? 1) % 2 === 0;
  return semver.satisfies(version, wanted);
}
