import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost } from '@mortise/plugin-sdk/testing';
import { gitStore } from '../api.js';
import { rootFault } from '../services/repository-root.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

describe('issue 30: [repository] ROOT', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mortise-root-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const make = (...path: string[]) => mkdirSync(join(folder, ...path), { recursive: true });
  const fault = (root: string) => rootFault(join(folder, root), [join(folder, 'former')]);

  it('is empty or has repositories of this site', () => {
    expect(fault('none')).to.be.undefined();
    make('empty', 'lost+found');
    expect(fault('empty')).to.be.undefined();
    // a restored one, and one that a server has begun
    make('restored', '3ff', '1023.wiki.git');
    make('begun', '.hooks');
    make('former', '001', '1025.git');
    for (const root of ['restored', 'begun', 'former']) expect([root, fault(root)]).to.equal([root, undefined]);
    expect(fault('empty')).to.contain('which is empty').and.contain(join(folder, 'former'));
    expect(fault('none')).to.contain('which is empty');
  });

  it('is no root of another server, whatever owners and repositories are called', () => {
    for (const [owner, name] of [
      ['ada', 'engine.git'],
      ['abc', '7.git'],
      ['001', '2.git'],
      ['001', '01.git'],
    ] as const) {
      make(`root-${name}`, owner, name);
      expect(fault(`root-${name}`)).to.contain(`repositories of another server (${owner}/${name})`);
    }
  });

  it('is no folder with other files, which would be closed to others', () => {
    make('home', 'ada', 'letters');
    expect(fault('home')).to.contain('has other files');
    make('deeper', 'gitea-repositories', 'ada', 'engine.git');
    expect(fault('deeper')).to.contain('has other files');
  });

  it('a start with one that does not fit is refused, and leaves it as it is', async () => {
    make('theirs', 'ada', 'engine.git');
    const theirs = join(folder, 'theirs');
    chmodSync(theirs, 0o755);
    const start = (repository: object, git: object = {}) =>
      startHost({ plugins: ['git'], settings: { repository: { ...repository }, git: { ...git } } });
    await expect(start({ ROOT: theirs })).to.reject(/repositories of another server \(ada\/engine\.git\)/);
    expect([statSync(theirs).mode & 0o777, readdirSync(theirs)]).to.equal([0o755, ['ada']]);
    make('former', '001', '1025.git');
    const moved = { ROOT: join(folder, 'moved') };
    await expect(start(moved, { HOME_PATH: join(folder, 'former') })).to.reject(/which is empty/);
    expect(readdirSync(folder).sort()).to.equal(['former', 'theirs']);
  });

  it('takes the repositories, also beside a HOME_PATH that means the home of git', async () => {
    make('home');
    const host = await startHost({
      plugins: ['git'],
      settings: { repository: { ROOT: join(folder, 'root') }, git: { HOME_PATH: join(folder, 'home') } },
    });
    const store = host.services.get(gitStore);
    await store.create(7);
    expect(store.path(7)).to.equal(join(folder, 'root', '007', '7.git'));
    expect(readdirSync(join(folder, 'home'))).to.equal([]);
    await host.close();
  });
});
