import { Forbidden } from '@mortise/plugin-sdk';
import type { CommitVerification } from '@mortise/history/api';
import { isZeroOid, subjectOf, type GitRepository, type RefUpdate } from '@mortise/git/api';
import { t } from '../texts/index.js';

const batch = 200;
const maxCommits = 200_000;

/** Branches that take signed commits only. */
export class SignatureRule {
  constructor(private readonly verification: CommitVerification) {}

  /**
   * Every commit that the branch gains must bear a signature that can be verified. `trusted`: where a new branch may
   * come from without checking its commits again.
   */
  async check(git: GitRepository, branch: string, update: RefUpdate, trusted: readonly string[]): Promise<void> {
    const oids = await newCommits(git, update, trusted);
    if (oids.length > maxCommits) throw Forbidden(t.later('error.unsignedMany', { branch, max: maxCommits }));
    for (let at = 0; at < oids.length; at += batch) {
      const commits = await git.commits(oids.slice(at, at + batch));
      const verdicts = await this.verification.verify(commits);
      const bad = verdicts.findIndex(({ verified }) => !verified);
      if (bad < 0) continue;
      const commit = commits[bad]!;
      throw Forbidden(
        t.later('error.unsigned', {
          branch,
          commit: commit.oid.slice(0, 10),
          subject: subjectOf(commit.message).slice(0, 60),
          why: commit.signature ? 'unverified' : 'unsigned',
          reason: String(verdicts[bad]!.reason),
        }),
      );
    }
  }
}

/** Commits that come to the branch. What other branches took without a look cannot be slipped into a new one. */
async function newCommits(git: GitRepository, update: RefUpdate, trusted: readonly string[]): Promise<string[]> {
  const known = (isZeroOid(update.old) ? trusted : [update.old]).map((oid) => `^${oid}`);
  const text = await git.run(['rev-list', `--max-count=${maxCommits + 1}`, update.new, ...known], {
    maxBytes: 32 << 20,
  });
  return text.split('\n').filter(Boolean);
}
