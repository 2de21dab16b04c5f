// What the tests need of the system: MariaDB, Redis, Chromium, ssh, gpg and git-lfs by apt, where this runs as root, and
// an S3-compatible server from PyPI below the user's cache. Run as a process of its own, beside `npm ci`: needs nothing
// that is installed or built.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { pythonProgram } from '../support/python.mjs';

export const has = (command) => spawnSync('sh', ['-c', `command -v ${command}`]).status === 0;

const s3Home = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'mortise-test-s3');
export const s3Program = join(s3Home, 'bin', 'moto_server');

function installPackages() {
  const missing = [
    ['mariadbd', 'mariadb-server'],
    ['redis-server', 'redis-server'],
    ['chromium', 'chromium'],
    ['ssh', 'openssh-client'],
    ['gpg', 'gnupg'],
    ['git-lfs', 'git-lfs'],
    ['python3', 'python3-venv'],
    ['slapd', 'slapd'],
    ['ldapadd', 'ldap-utils'],
  ].filter(([command]) => !has(command) && !existsSync(`/usr/sbin/${command}`));
  if (missing.length === 0 || process.getuid?.() !== 0 || !has('apt-get')) return;
  console.log(`installing ${missing.map(([, name]) => name).join(', ')}`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  spawnSync('apt-get', ['update', '-qq'], { stdio: 'ignore', env });
  const run = spawnSync(
    'apt-get',
    ['install', '-y', '-qq', '--no-install-recommends', ...missing.map(([, name]) => name)],
    { encoding: 'utf8', env },
  );
  if (run.status !== 0) console.log(`apt-get: ${run.stderr.slice(-500)}`);
}

function installS3() {
  if (!existsSync(s3Program)) console.log('installing an S3-compatible server');
  pythonProgram(s3Home, 'moto_server', 'moto[s3,server]');
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  installPackages();
  installS3();
}
