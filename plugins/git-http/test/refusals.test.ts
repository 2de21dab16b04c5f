/** What pushes may bring: no trees that harm who checks them out, and references only where they belong. */
import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { definePlugin } from '@mortise/plugin-sdk';
import { asActor, gitEnvironment, startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { createAccount } from '@mortise/accounts/testing';
import { gitReader, pushableRefs, refUpdates, zeroOid } from '@mortise/git/api';
import type { Repository } from '@mortise/repositories/api';
import { createRepository, remoteUrl } from '@mortise/repositories/testing';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const run = promisify(execFile);

describe('what pushes may bring', { timeout: 300_000 }, () => {
  let host: TestHost;
  let repository: Repository;
  let url: string;
  let source: string;
  let made = 0;
  before(async () => {
    const declaring = definePlugin({
      name: 'test-refs',
      version: '1.0.0',
      sdk: '*',
      requires: { git: '^1.0.0' },
      register: (plugin) => plugin.contribute(pushableRefs, { key: 'test', prefix: 'refs/declared/' }),
    });
    host = await startHost({
      plugins: ['git-http', 'auth-basic', declaring],
      settings: { git: { ALLOWED_REFS: 'refs/opened' } },
    });
    const ada = await createAccount(host, 'ada');
    repository = await createRepository(host, ada, { name: 'r' });
    url = await remoteUrl(host, 'ada/r.git', 'ada');
    source = join(host.workDir, 'source.git');
    git('init', '-q', '--bare', '-b', 'main', source);
  });
  after(() => host.close());

  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: host.workDir, env: gitEnvironment(host.workDir), encoding: 'utf8' }).trim();
  const object = (type: string, content: string | Buffer) =>
    execFileSync('git', ['hash-object', '-t', type, '-w', '--stdin', '--literally'], {
      cwd: source,
      input: content,
      encoding: 'utf8',
    }).trim();
  const treeWith = (name: string, oid: string, mode = '40000') =>
    object('tree', Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(oid, 'hex')]));
  const commitOf = (tree: string, person = 'A <a@example.com> 1700000000 +0000') =>
    object('commit', `tree ${tree}\nauthor ${person}\ncommitter ${person}\n\nwords\n`);
  const push = async (...specs: string[]) =>
    run('git', ['push', url, ...specs], { cwd: source, env: gitEnvironment(host.workDir) }).then(
      ({ stderr }) => ({ isDone: true, said: stderr }),
      (error: { stderr: string }) => ({ isDone: false, said: error.stderr }),
    );
  const names = async () => (await host.services.get(gitReader).open(repository.id).refs()).map(({ ref }) => ref);

  it('S11: trees that lead out of the working copy are refused', async () => {
    const blob = object('blob', 'x');
    const inner = treeWith('x', blob, '100644');
    for (const [name, oid, mode] of [
      ['..', inner, '40000'],
      ['.', inner, '40000'],
      ['.git', inner, '40000'],
      ['.GIT', inner, '40000'],
      ['a/b', blob, '100644'],
    ] as const) {
      const { isDone, said } = await push(`${commitOf(treeWith(name, oid, mode))}:refs/heads/bad`);
      expect(isDone, name).to.be.false();
      expect(said).to.match(/unpack|hasDot|fullPathname|index-pack/i);
    }
    expect(await names()).to.be.empty();
  });

  it('S4: a commit that no reference leads to is not fetched by its id', async () => {
    const tree = treeWith('x', object('blob', 'z'), '100644');
    const first = commitOf(tree, 'A <a@example.com> 1600000000 +0000');
    const child = (parent: string) => {
      const person = 'A <a@example.com> 1600000001 +0000';
      return object('commit', `tree ${tree}\nparent ${parent}\nauthor ${person}\ncommitter ${person}\n\nnext\n`);
    };
    const second = child(first);
    const third = child(second);
    expect((await push(`${third}:refs/heads/line`)).isDone).to.be.true();
    const fetch = async (version: number, oid: string) => {
      const into = join(host.workDir, `into-${version}-${oid.slice(0, 8)}-${++made}`);
      git('init', '-q', '--bare', into);
      return run('git', ['-c', `protocol.version=${version}`, 'fetch', '-q', '--depth=1', url, oid], {
        cwd: into,
        env: gitEnvironment(host.workDir),
      }).then(
        () => true,
        () => false,
      );
    };
    for (const version of [0, 2])
      for (const oid of [first, second, third]) expect(await fetch(version, oid)).to.be.true();
    const other = commitOf(tree, 'B <b@example.com> 1600000000 +0000');
    expect((await push(`+${other}:refs/heads/line`)).isDone).to.be.true();
    for (const version of [0, 2])
      for (const oid of [first, second]) expect(await fetch(version, oid), `version ${version}`).to.be.false();
    expect(await fetch(2, third)).to.be.true(); // events name it
  });

  it('S11: harmless faults of old histories come in', async () => {
    const tree = treeWith('d', treeWith('x', object('blob', 'x'), '100644'), '040000');
    const accountService = [
      'A <a@example.com> 1700000000 +051800',
      'A<a@example.com> 1700000000 +0000',
      'A <a@example.com>1700000000 +0000',
    ];
    for (const [at, person] of accountService.entries()) {
      const { isDone, said } = await push(`${commitOf(tree, person)}:refs/heads/old-${at}`);
      expect(isDone, said).to.be.true();
    }
    expect((await names()).filter((name) => name.startsWith('refs/heads/old-'))).to.have.length(3);
  });

  it('S6: tools that keep reviews and issues in git may push them, unless the operator closes that', async () => {
    const commit = commitOf(treeWith('x', object('blob', 's6'), '100644'));
    const open = await startHost({ plugins: ['git-http', 'auth-basic'] });
    try {
      await createRepository(open, await createAccount(open, 'ada'), { name: 'r' });
      const to = await remoteUrl(open, 'ada/r.git', 'ada');
      const refs = ['refs/review/7', 'refs/bugs/1', 'refs/identities/1'];
      const there = { cwd: source, env: gitEnvironment(host.workDir) };
      await run('git', ['push', '-q', to, ...refs.map((ref) => `${commit}:${ref}`)], there);
      expect((await run('git', ['ls-remote', to], there)).stdout).to.include(refs);
      for (const ref of refs) expect((await push(`${commit}:${ref}`)).isDone, ref).to.be.false();
    } finally {
      await open.close();
    }
  });

  it('S6: pushes make and move only branches, tags, notes and what is declared; the rest is refused by itself', async () => {
    const commit = commitOf(treeWith('x', object('blob', 's6'), '100644'));
    const odd = ['refs/replace/' + commit, 'refs/meta/config', 'refs/keep/1', 'refs/changes/01/1/1', 'refs/mortise/x'];
    const more = [
      'refs/remotes/origin/main',
      'refs/head/main',
      'refs/Heads/main',
      'refs/notesx',
      'refs/heads-old/main',
    ];
    for (const ref of [...odd, ...more]) {
      const { isDone, said } = await push(`${commit}:${ref}`, `+${commit}:refs/heads/beside`);
      expect(isDone, ref).to.be.false();
      expect(await names())
        .to.include('refs/heads/beside')
        .and.not.include(ref);
      if (ref !== 'refs/mortise/x')
        expect(said).to.match(/takes references only below refs\/heads, refs\/tags(?:, | and )refs\/notes/);
    }
    expect((await push(`${commit}:refs/declared/x`, `${commit}:refs/opened/y`)).isDone).to.be.true();
    // what came from elsewhere does not move, and can go
    const { path } = host.services.get(gitReader).open(repository.id);
    git('-C', path, 'fetch', '-q', source, commit);
    git('-C', path, 'update-ref', 'refs/meta/config', commit);
    const next = commitOf(treeWith('y', object('blob', 's6'), '100644'));
    const moved = await push(`+${next}:refs/meta/config`, `+${next}:refs/heads/beside`);
    expect([moved.isDone, git('-C', path, 'rev-parse', 'refs/meta/config', 'refs/heads/beside')]).to.equal([
      false,
      `${commit}\n${next}`,
    ]);
    expect((await push(':refs/meta/config', ':refs/heads/beside')).isDone).to.be.true();
    const update = { ref: 'refs/meta/config', old: zeroOid, new: next };
    for (const from of ['api', 'web'] as const)
      await expect(
        host.services.get(refUpdates).apply({
          repositoryId: repository.id,
          updates: [update],
          pusher: asActor({ id: 1, name: 'ada' }),
          source: from,
        }),
      ).to.reject(/takes references only below/);
  });

  it('S11: pushes make no references of work trees; each is refused by itself', async () => {
    const commit = commitOf(treeWith('x', object('blob', 'y'), '100644'));
    const mixed = await push(
      `${commit}:refs/heads/main`,
      `${commit}:refs/bisect/bad`,
      `${commit}:refs/changes/1`,
      `${commit}:refs/notes/x`,
      `${commit}:refs/tags/v1`,
    );
    expect(mixed.isDone).to.be.false();
    expect(mixed.said).to.contain('refs/bisect is reserved');
    expect(await names()).to.include(['refs/heads/main', 'refs/notes/x', 'refs/tags/v1']);
    expect((await names()).some((name) => name.startsWith('refs/bisect'))).to.be.false();
    const pulls = await push(`${commit}:refs/pull/1/head`, `${commit}:refs/heads/more`);
    expect([pulls.isDone, (await names()).includes('refs/heads/more')]).to.equal([false, true]);
    const atomic = await push('--atomic', `${commit}:refs/heads/none`, `${commit}:refs/stash`);
    expect([atomic.isDone, (await names()).includes('refs/heads/none')]).to.equal([false, false]);
    // what is there already, from elsewhere, can go
    const { path } = host.services.get(gitReader).open(repository.id);
    git('-C', path, 'update-ref', 'refs/rewritten/7', commit);
    expect((await push(':refs/rewritten/7')).isDone).to.be.true();
    // as a mirror of a repository from elsewhere: more than are asked about one by one
    for (let at = 0; at < 120; at++) git('-C', source, 'update-ref', `refs/rewritten/b${at}`, commit);
    git('-C', source, 'update-ref', 'refs/heads/mirrored', commit);
    const mirror = await push('refs/*:refs/*');
    expect([mirror.isDone, (await names()).includes('refs/heads/mirrored')]).to.equal([false, true]);
    expect((await names()).some((name) => name.startsWith('refs/rewritten'))).to.be.false();
  });
});
