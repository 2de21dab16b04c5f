// The server is killed (SIGKILL to its whole group) at random moments while it creates repositories, takes pushes and
// publishes packages. After each restart nothing acknowledged may be missing and nothing half-made visible.
// Time: about 30 s
//
//   MORTISE_TEST_FULL=1   12 kills in one run instead of 4: more moments, none of another kind
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startServer } from '../support/server.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const rounds = Number(process.env.MORTISE_FAULT_ROUNDS ?? (process.env.MORTISE_TEST_FULL ? 12 : 4));
/** A seeded generator, so that a failing run can be repeated with the same kill moments. */
const seed = Number(process.env.MORTISE_FAULT_SEED ?? Date.now() % 100_000);
let state = seed;
const random = () => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;

describe(`a killed server (seed ${seed})`, { timeout: 1_800_000 }, () => {
  let server;
  before(async () => {
    server = await startServer({ plugins: ['package-npm', 'git-http', 'refs', 'history'] });
  });
  after(() => server?.close());

  it(`keeps what it acknowledged over ${rounds} kills`, async () => {
    const work = join(server.folder, 'work');
    mkdirSync(work);
    const git = (...args) => server.git(args, { cwd: work });
    await git('init', '-q', '-b', 'main');
    const acknowledged = { repositories: new Set(), heads: new Map(), packages: new Set() };
    await server.api('POST', '/user/repos', { body: { name: 'target' } });
    let commits = 0;

    const packument = (name, version) => {
      const data = Buffer.from(`content of ${name} ${version}`);
      return {
        _id: name,
        name,
        'dist-tags': { latest: version },
        versions: {
          [version]: {
            name,
            version,
            dist: {
              shasum: createHash('sha1').update(data).digest('hex'),
              integrity: `sha512-${createHash('sha512').update(data).digest('base64')}`,
            },
          },
        },
        _attachments: {
          [`${name}-${version}.tgz`]: {
            content_type: 'application/octet-stream',
            data: data.toString('base64'),
            length: data.length,
          },
        },
      };
    };

    for (let round = 0; round < rounds; round++) {
      let dead = false;
      const killer = new Promise((resolve) => setTimeout(resolve, 150 + random() * 1200)).then(async () => {
        // however slow this machine is, one round has something to lose
        while (round === 0 && acknowledged.repositories.size === 0)
          await new Promise((resolve) => setTimeout(resolve, 20));
        await server.kill();
        dead = true;
      });
      for (let n = 0; !dead; n++) {
        const name = `r${round}-${n}`;
        await server.api('POST', '/user/repos', { body: { name, auto_init: n % 2 === 0 } }).then(
          (answer) => answer.status === 201 && acknowledged.repositories.add(name),
          () => {},
        );
        if (dead) break;
        commits++;
        writeFileSync(join(work, 'file.txt'), `change ${commits}\n`);
        await git('add', '-A');
        await git('commit', '-q', '-m', `change ${commits}`);
        const branch = `b${commits % 5}`;
        const pushed = await git('push', '-q', '-f', `${server.base}/root/target.git`, `HEAD:refs/heads/${branch}`);
        if (pushed.code === 0) acknowledged.heads.set(branch, (await git('rev-parse', 'HEAD')).out.trim());
        else acknowledged.heads.delete(branch); // in doubt: may have landed before the kill
        if (dead) break;
        await server
          .api('PUT', `${server.base}/api/packages/root/npm/pkg-${name}`, { body: packument(`pkg-${name}`, '1.0.0') })
          .then(
            (answer) => answer.status < 300 && acknowledged.packages.add(`pkg-${name}`),
            () => {},
          );
      }
      await killer;
      await server.start();

      for (const [branch, commit] of acknowledged.heads) {
        const answer = await server.api('GET', `/repos/root/target/branches/${branch}`);
        expect(answer.json?.commit?.id, `round ${round}: branch ${branch}`).to.equal(commit);
      }
      const listed = new Set();
      for (let page = 1; ; page++) {
        const answer = await server.api('GET', `/user/repos?limit=50&page=${page}`);
        for (const repository of answer.json) listed.add(repository.name);
        if (answer.json.length < 50) break;
      }
      for (const name of acknowledged.repositories)
        expect(listed.has(name), `round ${round}: repository ${name}`).to.be.true();
      for (const name of listed) {
        if (!name.startsWith(`r${round}-`)) continue;
        const branches = await server.api('GET', `/repos/root/${name}/branches`);
        expect(branches.status, `round ${round}: ${name} is listed and answers`).to.equal(200);
      }
      for (const name of [...acknowledged.packages].slice(-3)) {
        const answer = await server.api('GET', `${server.base}/api/packages/root/npm/${name}`);
        expect(answer.status, `round ${round}: package ${name}`).to.equal(200);
        const tarball = await server.api('GET', answer.json.versions['1.0.0'].dist.tarball);
        expect(tarball.text).to.equal(`content of ${name} 1.0.0`);
      }
    }
    const checked = join(server.folder, 'checked.git');
    const cloned = await server.git(['clone', '-q', '--mirror', `${server.base}/root/target.git`, checked]);
    expect(cloned.code, cloned.err).to.equal(0);
    expect((await server.git(['fsck', '--full', '--strict'], { cwd: checked })).code).to.equal(0);
    const doctor = server.cli('doctor');
    expect(doctor.code, doctor.out + doctor.err).to.equal(0);
    expect(acknowledged.repositories.size).to.be.above(0);
  });
});
