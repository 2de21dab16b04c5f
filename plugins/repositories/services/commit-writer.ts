import { setTimeout as sleep } from 'node:timers/promises';
import { Problem, type Actor, type PointReader } from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import {
  commitPayload,
  zeroOid,
  type Commit,
  type CommitDraft,
  type GitReader,
  type GitRepository,
  type GitWriter,
  type RefUpdates,
  type Signature,
} from '@mortise/git/api';
import type {
  CommitRequest,
  CommitResult,
  CommitSigner,
  CommitWriter,
  PlannedCommit,
  SigningBasis,
} from '../contract/commits.js';
import { WriteQueue } from './write-queue.js';

interface Deps {
  readonly accounts: Accounts;
  readonly reader: GitReader;
  readonly writer: GitWriter;
  readonly refs: RefUpdates;
  readonly signers: PointReader<CommitSigner>;
}

const defaultMaxAttempts = 30;
/** Refusals that are not over a branch that moved: a lock that goes away, or a name that will always clash. */
const maxStandstills = 8;
/** Merges of more are signed only by rules that do not look at each. */
const maxCommits = 2000;

export class CommitWriterService implements CommitWriter {
  readonly #queue = new WriteQueue();

  constructor(private readonly deps: Deps) {}

  async identityOf(actor: Actor, instead?: Account): Promise<Pick<Signature, 'name' | 'email'>> {
    const { accounts } = this.deps;
    const account = (actor.id > 0 ? await accounts.byId(actor.id) : undefined) ?? instead;
    const clean = (text: string) => text.replace(/[<>\n\0]/g, '').trim();
    return {
      name: clean(account?.fullName || account?.name || actor.name) || 'nobody',
      email: clean(account ? accounts.commitEmail(account) : 'noreply@localhost'),
    };
  }

  async signatureOf(actor: Actor, instead?: Account): Promise<Signature> {
    return { ...(await this.identityOf(actor, instead)), time: Date.now(), zone: '+0000' };
  }

  async signing(basis: SigningBasis): Promise<(draft: CommitDraft) => Promise<CommitDraft>> {
    const signers = this.deps.signers.list();
    if (signers.length === 0) return unsigned;
    const git = this.#open(basis);
    const { action, actor, parents: oids } = basis;
    const parents = await Promise.all(oids.map((oid) => git.commit(oid)));
    let brought: Promise<readonly Commit[] | undefined> | undefined;
    const commits = () => (brought ??= broughtIn(git, oids));
    for (const one of signers) {
      const signer = await one.signer({ action, actorId: actor.id, parents, commits });
      if (!signer) continue;
      return async (draft) => {
        const signed = { ...draft, committer: { ...draft.committer, name: signer.name, email: signer.email } };
        return { ...signed, signature: await signer.sign(commitPayload(signed)) };
      };
    }
    return unsigned;
  }

  async write(
    draft: CommitDraft,
    basis: Omit<SigningBasis, 'parents'> & { parents?: readonly string[] },
  ): Promise<string> {
    const sign = await this.signing({ parents: draft.parents, ...basis });
    return this.deps.writer.writeCommit(basis.repositoryId, await sign(draft), basis.kind);
  }

  commit(request: CommitRequest): Promise<CommitResult> {
    const { repositoryId, kind = 'code', branch } = request;
    return this.#queue.take(`${repositoryId} ${kind} ${branch}`, () => this.#commitInTurn(request));
  }

  async #commitInTurn(request: CommitRequest): Promise<CommitResult> {
    const { repositoryId, kind, branch, actor, source, maxAttempts = defaultMaxAttempts } = request;
    const git = this.#open(request);
    const ref = `refs/heads/${branch}`;
    let standstills = 0;
    for (let attempt = 1; ; attempt++) {
      const head = (await git.ref(ref))?.oid;
      const planned = await request.plan(head);
      const commit = planned && (await this.#made(request, planned, head));
      if (!commit || commit === head) return { commit: head, head };
      try {
        const updated = await this.deps.refs.apply({
          repositoryId,
          kind,
          updates: [{ ref, old: head ?? zeroOid, new: commit }],
          pusher: actor,
          source,
          pushOptions: request.pushOptions,
          facts: planned.facts,
          skipChecks: request.skipChecks,
          within: request.within,
        });
        return { commit, head, updated };
      } catch (error) {
        if (!Problem.is(error) || error.code !== 'conflict' || attempt >= maxAttempts) throw error;
        if ((await git.ref(ref))?.oid === head && ++standstills >= maxStandstills) throw error;
        await sleep(Math.random() * 20 * attempt);
      }
    }
  }

  async #made(request: CommitRequest, planned: PlannedCommit, head: string | undefined): Promise<string> {
    if ('commit' in planned) return planned.commit;
    const author = planned.author ?? (await this.signatureOf(request.actor));
    const draft = {
      tree: planned.tree,
      parents: planned.parents ?? (head ? [head] : []),
      author,
      committer: planned.committer ?? author,
      message: planned.message,
    };
    const { repositoryId, kind, action, actor } = request;
    return this.write(draft, { repositoryId, kind, action, actor, parents: planned.basis ?? draft.parents });
  }

  #open({ repositoryId, kind }: Pick<SigningBasis, 'repositoryId' | 'kind'>): GitRepository {
    return this.deps.reader.open(repositoryId, kind);
  }
}

const unsigned = async (draft: CommitDraft): Promise<CommitDraft> => draft;

async function broughtIn(
  git: GitRepository,
  [base, ...heads]: readonly string[],
): Promise<readonly Commit[] | undefined> {
  if (!base || heads.length === 0) return [];
  const { commits } = await git.log({ from: heads, not: [base], limit: maxCommits + 1, total: false });
  return commits.length > maxCommits ? undefined : commits;
}
