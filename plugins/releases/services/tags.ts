import { Invalid, NotFound, Problem, type Actor } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import {
  defineFact,
  zeroOid,
  type Facts,
  type GitReader,
  type GitWriter,
  type RefUpdates,
  type UpdateSource,
} from '@mortise/git/api';
import type { Repository } from '@mortise/repositories/api';
import { t } from '../texts/index.js';

/** The release whose tag a change makes, by its id. */
export const createdFor = defineFact<number>('releaseId');
/** The release that goes together with its tag. */
export const deletedWith = defineFact<number>('deletedRelease');

interface TagInput {
  readonly tagName: string;
  readonly target: string;
  readonly message: string;
}

/** `there`: the tag exists since then; else the commit that it is to stand on. */
type TagPlan = { readonly there: number } | { readonly commit: string };

/** The tags behind releases; all changes go through the gate, which journals the facts given here. */
export class TagMaker {
  constructor(
    private readonly deps: {
      readonly accounts: Accounts;
      readonly git: GitReader;
      readonly writer: GitWriter;
      readonly refs: RefUpdates;
    },
  ) {}

  async exists(repositoryId: number, tagName: string): Promise<boolean> {
    return (await this.deps.git.open(repositoryId).tag(tagName)) !== undefined;
  }

  /** NotFound when the tag has to be made and the target is not there. */
  async plan(repository: Repository, { tagName, target }: Omit<TagInput, 'message'>): Promise<TagPlan> {
    const git = this.deps.git.open(repository.id);
    const there = await git.tag(tagName);
    if (there) return { there: await this.timeOf(repository.id, there.oid) };
    const wanted = target || repository.defaultBranch;
    const revision = await git.resolve(wanted);
    if (!revision) throw NotFound(t.later('error.target', { name: wanted.slice(0, 100) }));
    return { commit: revision.commit };
  }

  /** When the tag, or else its commit, was made; never in the future, so that no clock pins it to the top. */
  private async timeOf(repositoryId: number, oid: string): Promise<number> {
    const git = this.deps.git.open(repositoryId);
    const now = Date.now();
    const info = await git.info(oid);
    const tagger = info?.type === 'tag' ? (await git.annotatedTag(oid)).tagger : undefined;
    const peeled = tagger ? undefined : await git.peel(oid);
    const time = tagger?.time ?? (peeled?.type === 'commit' ? (await git.commit(peeled.oid)).committer.time : now);
    return Number.isFinite(time) ? Math.min(Math.max(0, Math.trunc(time)), now) : now;
  }

  /** Makes the tag; `facts` come back with the event, also after a kill. REL-05: with a message an annotated one. */
  async make(
    repository: Repository,
    { tagName, message }: TagInput,
    commit: string,
    by: { readonly actor: Actor; readonly source: UpdateSource; readonly facts: Facts },
  ): Promise<void> {
    const oid = message.trim() ? await this.annotate(repository, tagName, message, commit, by.actor) : commit;
    await this.apply(repository, { ref: `refs/tags/${tagName}`, old: zeroOid, new: oid }, by);
  }

  /** Deletes the tag if it is there; tells whether. */
  async remove(
    repository: Repository,
    tagName: string,
    by: { readonly actor: Actor; readonly source: UpdateSource; readonly facts: Facts },
  ): Promise<boolean> {
    const there = await this.deps.git.open(repository.id).tag(tagName);
    if (!there) return false;
    await this.apply(repository, { ref: there.ref, old: there.oid, new: zeroOid }, by);
    return true;
  }

  /** What a rule forbids is an unfit request here, as for tags over the API. */
  private async apply(
    repository: Repository,
    update: { ref: string; old: string; new: string },
    { actor, source, facts }: { actor: Actor; source: UpdateSource; facts: Facts },
  ): Promise<void> {
    try {
      await this.deps.refs.apply({ repositoryId: repository.id, updates: [update], pusher: actor, source, facts });
    } catch (error) {
      throw Problem.is(error) && error.code === 'forbidden' ? Invalid(error.text) : error;
    }
  }

  private async annotate(
    repository: Repository,
    name: string,
    message: string,
    object: string,
    actor: Actor,
  ): Promise<string> {
    const { accounts, writer } = this.deps;
    const account = actor.id > 0 ? await accounts.byId(actor.id) : undefined;
    const tagger = {
      name: account?.fullName || actor.name,
      email: account ? accounts.commitEmail(account) : '',
      time: Date.now(),
      zone: '+0000',
    };
    return writer.writeTag(repository.id, { object, name, tagger, message: `${message.trimEnd()}\n` });
  }
}
