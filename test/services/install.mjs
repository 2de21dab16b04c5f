// What the tests need of the system: MariaDB with Galera, Redis, Chromium, ssh, slapd, Kerberos, SimpleSAMLphp, clients of package
// registries and the like by apt, where this runs as root; below the user's cache an S3-compatible server and more such clients,
// from PyPI and npm. Run as a process of its own, beside `npm ci`: needs nothing that is installed or built. `--all`: what only
// makes the tests quicker, too.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { pythonProgram } from '../support/python.mjs';

export const has = (command) => spawnSync('sh', ['-c', `command -v ${command}`]).status === 0;

const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
const s3Home = join(cache, 'mortise-test-s3');
export const s3Program = join(s3Home, 'bin', 'moto_server');

/** The first that is here opens the pages: the shell is the same browser without a window, at half of its work. */
export const browsers = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];
const browser = () => browsers.find(existsSync);

const mavenRepository = '/usr/share/maven-repo';
const mavenPlugins = `${mavenRepository}/org/apache/maven/plugins`;

const mayInstall = () => process.getuid?.() === 0 && has('apt-get');
const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };

function install(names) {
  console.log(`installing ${names.join(', ')}`);
  const args = ['install', '-y', '-qq', '--no-install-recommends', ...names];
  const run = spawnSync('apt-get', args, { encoding: 'utf8', env });
  if (run.status !== 0) console.log(`apt-get: ${run.stderr.slice(-500)}`);
}

function installPackages({ all }) {
  const missing = [
    ['mariadbd', 'mariadb-server'],
    ['redis-server', 'redis-server'],
    ['/usr/lib/postgresql', 'postgresql'],
    ['ssh', 'openssh-client'],
    ['gpg', 'gnupg'],
    ['git-lfs', 'git-lfs'],
    ['nginx', 'nginx-light'],
    ['haproxy', 'haproxy'],
    // a cluster on hosts of its own: test/scale/cluster
    ['/usr/lib/galera/libgalera_smm.so', 'galera-4'],
    ['rsync', 'rsync'],
    ['ip', 'iproute2'],
    ['iptables', 'iptables'],
    ['faketime', 'faketime'],
    ['dovecot', 'dovecot-imapd'],
    ['pebble', 'pebble'],
    ['python3', 'python3-venv'],
    ['slapd', 'slapd'],
    ['ldapadd', 'ldap-utils'],
    ['krb5kdc', 'krb5-kdc'],
    ['kadmin.local', 'krb5-admin-server'],
    ['kinit', 'krb5-user'],
    ['krb5-config', 'libkrb5-dev'],
    ['/usr/share/simplesamlphp', 'simplesamlphp'],
    ['php', 'php-cli'],
    ['curl', 'curl'],
    ['composer', 'composer'],
    ['gem', 'ruby'],
    ['bundle', 'bundler'],
    ['dnf', 'dnf'],
    ['rpmbuild', 'rpm'],
    ['pacman', 'pacman-package-manager'],
    ['vercmp', 'makepkg'],
    ['Rscript', 'r-base-core'],
    ['skopeo', 'skopeo'],
    ['buildah', 'buildah'],
    ['mvn', 'maven'],
    ['vagrant', 'vagrant'],
    // by what it brings, where that is no command
    [`${mavenPlugins}/maven-deploy-plugin`, 'libmaven-deploy-plugin-java'],
    [`${mavenPlugins}/maven-dependency-plugin`, 'libmaven-dependency-plugin-java'],
    [`${mavenRepository}/junit/junit`, 'junit4'],
    // pages are measured with these letters on every machine: targets and widths depend on them
    ['/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf', 'fonts-dejavu-core'],
  ].filter(([what]) => !has(what) && !existsSync(what.startsWith('/') ? what : `/usr/sbin/${what}`));
  const wantsShell = !browser() || (all && browser() !== browsers[0]);
  if ((missing.length === 0 && !wantsShell) || !mayInstall()) return;
  spawnSync('apt-get', ['update', '-qq'], { stdio: 'ignore', env });
  if (missing.length) install(missing.map(([, name]) => name));
  // not every system has both
  if (wantsShell) install(['chromium-headless-shell']);
  if (!browser()) install(['chromium']);
}

function installS3() {
  if (!existsSync(s3Program)) console.log('installing an S3-compatible server');
  pythonProgram(s3Home, 'moto_server', 'moto[s3,server]');
}

/** Clients of package registries, where `installedClient` of plugins/packages/testing.ts looks for them. */
function installClients() {
  if (!has('conan')) pythonProgram(join(cache, 'mortise-test-conan'), 'conan', 'conan');
  pythonProgram(join(cache, 'mortise-test-python'), 'uv', 'twine==6.1.0', 'uv==0.8.22');
  const folder = join(cache, 'mortise-test-node');
  if (existsSync(join(folder, 'node_modules', 'pnpm'))) return;
  const names = ['pnpm@10.18.3', 'yarn@1.22.22', '@yarnpkg/cli-dist@4.10.3'];
  const quiet = ['--silent', '--ignore-scripts', '--no-audit', '--no-fund', '--no-save', '--no-bin-links'];
  spawnSync('npm', ['install', '--prefix', folder, ...quiet, ...names], { stdio: 'ignore', env });
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  installPackages({ all: process.argv.includes('--all') });
  // `npm test` compiles against them beside the rest, which is fetched
  process.send?.('packages', () => undefined);
  installS3();
  installClients();
}
