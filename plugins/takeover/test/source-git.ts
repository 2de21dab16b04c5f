import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SourceFixture } from './source.js';

const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];
export const git = (cwd: string, ...args: string[]): string =>
  execFileSync('git', [...identity, ...args], { cwd, encoding: 'utf8' });

/** Git folders of a small server to take over; their default branch is `trunk`. */
export class SourceRepositories {
  constructor(private readonly source: Pick<SourceFixture, 'folder'>) {}

  /** `owner/name`, in lower case. */
  folder(name: string): string {
    return join(this.source.folder, 'data', 'gitea-repositories', `${name}.git`);
  }

  /** With a first commit; gives its id. */
  make(name: string, ...options: string[]): string {
    mkdirSync(dirname(this.folder(name)), { recursive: true });
    execFileSync('git', ['init', '-q', '--bare', '-b', 'trunk', ...options, this.folder(name)]);
    return this.commit(name, 'first');
  }

  /** Moves the branch to a commit whose README is the text. */
  commit(name: string, text: string, branch = 'trunk', ...parents: string[]): string {
    const cwd = this.folder(name);
    const blob = execFileSync('git', ['hash-object', '-w', '--stdin'], { cwd, input: text }).toString().trim();
    const tree = execFileSync('git', ['mktree'], { cwd, input: `100644 blob ${blob}\tREADME.md\n` })
      .toString()
      .trim();
    const made = git(cwd, 'commit-tree', tree, ...parents.flatMap((oid) => ['-p', oid]), '-m', text).trim();
    git(cwd, 'update-ref', `refs/heads/${branch}`, made);
    return made;
  }
}
