/** Takes away objects that nothing leads to any more, some time after they came. */
import type { PointReader } from '@mortise/plugin-sdk';
import { isOid, type RepositoryKind } from '../api.js';
import type { KeptCommits } from '../contract/references.js';
import type { FormerTips } from './former-tips.js';
import type { GitRunner } from './git-runner.js';
import type { FolderStore } from './store.js';
import type { WritePauses } from './write-pauses.js';

/** What is written first and named by a reference later has this long. */
const grace = '2.weeks.ago';
/** Commits that must stay are named here while git looks for what may go. */
const keptRefs = 'refs/mortise/kept/';

interface PruningDeps {
  readonly store: FolderStore;
  readonly runner: GitRunner;
  readonly pauses: WritePauses;
  readonly formerTips: FormerTips;
  readonly keptCommits: PointReader<KeptCommits>;
}

export class Pruning {
  constructor(private readonly deps: PruningDeps) {}

  /**
   * Objects that are led to by references, by what they named within the last 90 days, or by what plugins keep, stay;
   * others go once they are two weeks old (git-repack(1), cruft packs).
   */
  async run(id: number, kind: RepositoryKind, expiration = grace): Promise<void> {
    await this.deps.pauses.maintaining(id, kind, async () => {
      const { runner, store } = this.deps;
      const cwd = store.path(id, kind);
      const present = await this.present(cwd, await this.keep(id, kind));
      await this.setRefs(
        cwd,
        present.map((oid) => `create ${keptRefs}${oid} ${oid}`),
      );
      try {
        const repack = [
          'repack',
          '-q',
          '-d',
          '-l',
          '--cruft',
          `--cruft-expiration=${expiration}`,
          '--write-bitmap-index',
        ];
        await runner.run(repack, { cwd, timeoutMs: runner.limits.cloneMs });
        await runner.run(['prune', `--expire=${expiration}`], { cwd, timeoutMs: runner.limits.cloneMs });
      } finally {
        await this.setRefs(cwd, []);
      }
    });
  }

  private async keep(id: number, kind: RepositoryKind): Promise<string[]> {
    const all = new Set(await this.deps.formerTips.list(id, kind));
    // a plugin that cannot tell keeps everything
    for (const source of this.deps.keptCommits.list()) for (const oid of await source.list(id, kind)) all.add(oid);
    return [...all].filter(isOid);
  }

  /** Those that are there: git would not name the others. */
  private async present(cwd: string, oids: readonly string[]): Promise<string[]> {
    if (!oids.length) return [];
    const input = `${oids.join('\n')}\n`;
    const output = await this.deps.runner.text(['cat-file', '--batch-check=%(objectname) %(objecttype)'], {
      cwd,
      input,
    });
    return output.split('\n').flatMap((line) => /^([0-9a-f]+) (?:commit|tag)$/.exec(line)?.[1] ?? []);
  }

  /** In place of whatever an earlier run may have left. */
  private async setRefs(cwd: string, commands: readonly string[]): Promise<void> {
    const { runner } = this.deps;
    const before = await runner.text(['for-each-ref', '--format=delete %(refname)', keptRefs], { cwd });
    for (const input of [before, `${commands.join('\n')}\n`])
      if (input.trim()) await runner.run(['update-ref', '--stdin'], { cwd, input, timeoutMs: runner.limits.writeMs });
  }
}
