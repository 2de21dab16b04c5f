import { Forbidden, Invalid, NotFound, type Actor } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import {
  zeroOid,
  type GitReader,
  type ReceivedRef,
  type ReceivePoint,
  type RefChange,
  type RefUpdate,
} from '@mortise/git/api';
import type { Issues } from '@mortise/issues/api';
import {
  mustBeActive,
  refuseBlocked,
  type Repositories,
  type Repository,
  type RepositoryAccess,
} from '@mortise/repositories/api';
import { openKeyOf } from '../models/pull.js';
import type { PullCreator } from './pull-creator.js';
import type { DraftTitles } from './draft-titles.js';
import type { PullReader } from './pull-reader.js';
import { headRef } from './pull-refs.js';
import type { PullSyncer } from './pull-syncer.js';
import { t } from '../texts/index.js';

interface Proposal {
  readonly baseBranch: string;
  readonly topic: string;
  /** As it was written, with the pusher's name in front or without. */
  readonly given: string;
  readonly isDraft: boolean;
}

const prefixes = ['refs/for/', 'refs/draft/', 'refs/for-review/'];
const maxTopic = 150;

/** Options can carry lines and other signs in base64; what is none is taken as it is written. */
function optionText(text: string | undefined): string | undefined {
  const [, coded] =
    /^\{base64\}((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/.exec(text ?? '') ?? [];
  return coded === undefined ? text : Buffer.from(coded, 'base64').toString('utf8');
}

/** Pull requests made by pushing to `refs/for/<branch>[/<topic>]`, without a fork and without a branch. */
export class AgitReceiver implements ReceivePoint {
  readonly key = 'pulls';
  readonly prefixes = prefixes;

  constructor(
    private readonly deps: {
      readonly accounts: Accounts;
      readonly gitReader: GitReader;
      readonly issues: Issues;
      readonly repositories: Repositories;
      readonly repositoryAccess: RepositoryAccess;
      readonly reader: PullReader;
      readonly creator: PullCreator;
      readonly syncer: PullSyncer;
      readonly drafts: DraftTitles;
    },
  ) {}

  async check(change: RefChange, update: RefUpdate): Promise<void> {
    await this.#proposal(await this.#repository(change), change, update);
  }

  async receive(change: RefChange, update: RefUpdate): Promise<ReceivedRef> {
    const repository = await this.#repository(change);
    // a tag would be taken for what it names, and then stand where git wants a commit
    const pushed = await this.deps.gitReader.open(repository.id).info(update.new);
    if (pushed?.type !== 'commit') throw Invalid(t.later('error.noCommit'));
    const proposal = await this.#proposal(repository, change, update);
    const between = {
      repositoryId: repository.id,
      baseBranch: proposal.baseBranch,
      headRepositoryId: repository.id,
      headBranch: proposal.topic,
      flow: 'agit',
      topicOwnerId: change.pusher.id,
    } as const;
    const present =
      (await this.deps.reader.between(openKeyOf(between))) ??
      // from before topics with the name in front were the same
      (await this.deps.reader.between(openKeyOf({ ...between, headBranch: proposal.given })));
    if (!present) return this.#open(repository, proposal, between.headBranch, change, update);
    const git = this.deps.gitReader.open(repository.id);
    if (present.headOid === update.new) throw Invalid(t.later('error.noNewCommits'));
    const isForced = !(await git.isAncestor(present.headOid, update.new));
    if (isForced && change.pushOptions['force-push'] !== 'true') throw Forbidden(t.later('error.forceOption'));
    await this.deps.syncer.head(present.issueId, { oid: update.new, pusherId: change.pusher.id, at: Date.now() });
    return { ok: true, ref: headRef(present.index), old: present.headOid, new: update.new, isForced };
  }

  async #open(
    repository: Repository,
    { baseBranch, isDraft }: Proposal,
    branch: string,
    { pusher, pushOptions }: RefChange,
    update: RefUpdate,
  ): Promise<ReceivedRef> {
    const { gitReader, creator, drafts, issues } = this.deps;
    const commit = await gitReader.open(repository.id).commit(update.new);
    const [first = '', ...rest] = commit.message.split('\n');
    const title = optionText(pushOptions.title)?.trim() || first.trim() || branch;
    const draft = isDraft && !drafts.isDraft(title) && drafts.first ? `${drafts.first} ` : '';
    const { issue } = await creator.create(
      repository,
      {
        title: `${draft}${title}`.slice(0, 255),
        body: optionText(pushOptions.description) ?? rest.join('\n').trim(),
        baseBranch,
        head: { repository, branch, flow: 'agit', oid: update.new },
      },
      pusher,
    );
    return {
      ok: true,
      ref: headRef(issue.index),
      old: zeroOid,
      new: update.new,
      message: issues.htmlUrl(repository, issue),
    };
  }

  async #repository(change: RefChange): Promise<Repository> {
    const { accounts, repositories, repositoryAccess } = this.deps;
    const repository = await repositories.byId(change.repositoryId);
    if (!repository) throw NotFound('repository');
    const actor: Actor = change.pusher;
    if (actor.kind !== 'user') throw Forbidden(t.later('error.needsAccount'));
    const context = await repositoryAccess.context(actor, repository);
    if (!context.may('read', 'code') || !context.may('read', 'pulls')) throw Forbidden(t.later('error.unitOff'));
    mustBeActive({ repository });
    await refuseBlocked(accounts, actor, repository.ownerId);
    return repository;
  }

  async #proposal(repository: Repository, { pushOptions, pusher }: RefChange, { ref }: RefUpdate): Promise<Proposal> {
    const prefix = prefixes.find((one) => ref.startsWith(one)) ?? '';
    const name = ref.slice(prefix.length);
    const git = this.deps.gitReader.open(repository.id);
    const isDraft = prefix === 'refs/draft/';
    const given = optionText(pushOptions.topic)?.trim() ?? '';
    if (await git.branch(name)) return { baseBranch: name, ...topicOf(given, pusher), isDraft };
    for (let at = name.indexOf('/'); at > 0; at = name.indexOf('/', at + 1))
      if (await git.branch(name.slice(0, at)))
        return { baseBranch: name.slice(0, at), ...topicOf(given || name.slice(at + 1), pusher), isDraft };
    throw NotFound('branch');
  }
}

/** `ada/docs` of ada is the topic `docs`. */
function topicOf(text: string, { name }: Pick<Actor, 'name'>): Pick<Proposal, 'topic' | 'given'> {
  if (!text) throw Invalid(t.later('error.topic'));
  if (text.length > maxTopic) throw Invalid(t.later('error.topicLong', { limit: maxTopic }));
  const prefix = `${name.toLowerCase()}/`;
  const isOwn = text.toLowerCase().startsWith(prefix) && text.length > prefix.length;
  return { topic: isOwn ? text.slice(prefix.length) : text, given: text };
}
