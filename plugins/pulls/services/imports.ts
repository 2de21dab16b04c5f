import type { Database, Jobs } from '@mortise/plugin-sdk';
import type { GitReader, GitRepository } from '@mortise/git/api';
import type { ImportedPull, PullImports } from '../api.js';
import type { PreparedPull } from '../contract/imports.js';
import { checkBranch } from '../jobs/check.js';
import { PullRow, openKeyOf } from '../models/pull.js';
import { PullVersionRow } from '../models/pull-version.js';
import type { DifferenceFinder } from './difference.js';
import type { DraftTitles } from './draft-titles.js';
import type { PullRefs } from './pull-refs.js';

interface ImportDeps {
  readonly database: Database;
  readonly jobs: Jobs;
  readonly gitReader: GitReader;
  readonly refs: Pick<PullRefs, 'keepAll'>;
  readonly differences: DifferenceFinder;
  readonly drafts: DraftTitles;
}

const maxBranch = 255;
const maxTitle = 255;
/** Branches with open pull requests that are looked at after an import. */
const maxChecked = 1000;

/** Writes pull requests of other services; asks for no rights and notifies nobody. */
export class PullImportService implements PullImports {
  constructor(private readonly deps: ImportDeps) {}

  prepare: PullImports['prepare'] = async (repositoryId, pulls) => {
    const git = this.deps.gitReader.open(repositoryId);
    const prepared: PreparedPull[] = [];
    for (const pull of pulls) prepared.push(await this.#prepare(git, pull));
    await this.deps.refs.keepAll(
      repositoryId,
      prepared
        .filter(({ headOid }) => headOid !== '')
        .map(({ number, headOid }) => ({ index: number, headOid, version: 1 })),
    );
    return prepared;
  };

  insert: PullImports['insert'] = async (repositoryId, pulls, issueIds) => {
    const { database } = this.deps;
    for (const [at, { row, version }] of pulls.entries()) {
      const isTaken =
        row.open_key !== null &&
        (await database.query(PullRow).findOne({ open_key: String(row.open_key) })) !== undefined;
      await database.rows.insert(PullRow, {
        ...row,
        // two that are open between the same branches: pushes go to the first
        open_key: isTaken ? null : row.open_key,
        conflicts: null,
        issue_id: issueIds[at],
        repository_id: repositoryId,
      });
      await database.rows.insert(PullVersionRow, { ...version, issue_id: issueIds[at] });
    }
  };

  draftTitle: PullImports['draftTitle'] = (title) => {
    const { drafts } = this.deps;
    if (drafts.isDraft(title) || !drafts.first) return title;
    return `${drafts.first} ${title}`.slice(0, maxTitle);
  };

  checkOpen: PullImports['checkOpen'] = async (repositoryId) => {
    const { database, jobs } = this.deps;
    const open = await database
      .query(PullRow)
      .distinct('base_branch')
      .where({ repository_id: repositoryId, is_open: true })
      .limit(maxChecked);
    await database.write(async () => {
      for (const { base_branch: branch } of open)
        await jobs.enqueue(
          checkBranch,
          { repositoryId, branch },
          { uniqueKey: `pulls.check:${repositoryId}:${branch}`.slice(0, 190), group: String(repositoryId) },
        );
    });
  };

  async #prepare(git: GitRepository, pull: ImportedPull): Promise<PreparedPull> {
    const { head, base } = await this.#sides(git, pull);
    const { paths: _paths, ...found } =
      head && base
        ? await this.deps.differences.difference(git.id, base, head)
        : { paths: [], mergeBase: '', commitCount: 0, changedFiles: 0, additions: 0, deletions: 0 };
    const between = {
      repositoryId: git.id,
      baseBranch: pull.baseBranch.slice(0, maxBranch),
      headRepositoryId: pull.headRepositoryId,
      headBranch: pull.headBranch.slice(0, maxBranch),
      flow: 'branch' as const,
      topicOwnerId: 0,
    };
    const isOpen = !pull.isClosed && !pull.isMerged;
    return {
      number: pull.number,
      headOid: head,
      mergeBase: found.mergeBase,
      version: {
        number: 1,
        head_oid: head,
        merge_base: found.mergeBase,
        pusher_id: 0,
        is_forced: false,
        created_at: pull.createdAt,
      },
      row: {
        number: pull.number,
        base_branch: between.baseBranch,
        head_repository_id: pull.headRepositoryId || null,
        head_branch: between.headBranch,
        flow: 'branch',
        topic_owner_id: 0,
        head_oid: head,
        base_oid: base,
        merge_base: found.mergeBase,
        commit_count: found.commitCount,
        changed_files: found.changedFiles,
        additions: found.additions,
        deletions: found.deletions,
        merge_state: isOpen ? 'checking' : 'clean',
        version: 1,
        is_open: isOpen,
        open_key: isOpen ? openKeyOf(between) : null,
        is_draft: this.deps.drafts.isDraft(pull.title),
        allow_maintainer_edit: false,
        is_merged: pull.isMerged,
        merged_at: pull.isMerged ? pull.mergedAt : 0,
        merger_id: pull.isMerged ? pull.mergerId : 0,
        merge_commit: pull.isMerged ? pull.mergeCommit : '',
        merge_style: pull.isMerged ? 'merge' : '',
        deletes_branch: false,
      },
    };
  }

  /** What is compared: where commits are gone, what the merge left of them; at worst nothing. */
  async #sides(git: GitRepository, pull: ImportedPull): Promise<{ head: string; base: string }> {
    const isThere = async (oid: string) => oid !== '' && (await commitIn(git, oid));
    const merge = pull.isMerged && (await isThere(pull.mergeCommit)) ? await git.commit(pull.mergeCommit) : undefined;
    const before = merge?.parents[0];
    const head = (await isThere(pull.headOid)) ? pull.headOid : (merge?.oid ?? '');
    const given = (await isThere(pull.baseOid)) ? pull.baseOid : (await git.branch(pull.baseBranch))?.oid;
    // the base branch holds the head by now: what it was before the merge says what was brought
    const base = before ?? given ?? '';
    return head ? { head, base: base || head } : { head: base, base };
  }
}

const commitIn = async (git: GitRepository, oid: string): Promise<boolean> =>
  /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(oid) && (await git.info(oid))?.type === 'commit';
