import { NotFound, zonedTime, type Actor } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import { zeroOid, type GitReader, type GitWriter, type Ref } from '@mortise/git/api';
import type { Repositories, Repository } from '@mortise/repositories/api';
import type { RefUpdater } from './ref-updater.js';
import { checkFree, plainName } from './ref-names.js';
import { t } from '../texts/index.js';

/** Tags, from the API and from pages. */
export class TagService {
  constructor(
    private readonly deps: {
      readonly accounts: Accounts;
      readonly git: GitReader;
      readonly writer: GitWriter;
      readonly repositories: Repositories;
      readonly refUpdater: RefUpdater;
    },
  ) {}

  /** The tags that `records` can show, so that pages of them are full and counted right; once per state of the references. */
  readonly #toApi = new WeakMap<readonly Ref[], Promise<readonly Ref[]>>();

  async ofCommits(repository: Repository): Promise<readonly Ref[]> {
    const git = this.deps.git.open(repository.id);
    const all = await git.tags();
    let shown = this.#toApi.get(all);
    if (!shown) {
      shown = Promise.all(
        all.map((ref) =>
          git.peel(ref.oid).then(
            (peeled) => (peeled?.type === 'commit' ? [ref] : []),
            () => {
              this.#toApi.delete(all); // git may have been too busy: it is asked again the next time
              return [];
            },
          ),
        ),
      ).then((lists) => lists.flat());
      this.#toApi.set(all, shown);
    }
    return shown;
  }

  /** Model `Tag` of each; tags of things that are no commits, and broken ones, are left out. */
  async records(repository: Repository, refs: readonly Ref[]): Promise<Record<string, unknown>[]> {
    const { git: reader, repositories } = this.deps;
    const git = reader.open(repository.id);
    const html = repositories.htmlUrl(repository);
    const record = async (ref: Ref) => {
      const peeled = await git.peel(ref.oid);
      if (peeled?.type !== 'commit') return [];
      const commit = await git.commit(peeled.oid);
      const message = ref.oid === peeled.oid ? commit.message : (await git.annotatedTag(ref.oid)).message;
      return [
        {
          name: ref.name,
          message: message.trimEnd(),
          id: ref.oid,
          commit: {
            url: `${repositories.apiUrl(repository)}/git/commits/${commit.oid}`,
            sha: commit.oid,
            created: zonedTime({ ...commit.committer, zone: '+0000' }),
          },
          zipball_url: `${html}/archive/${ref.name}.zip`,
          tarball_url: `${html}/archive/${ref.name}.tar.gz`,
        },
      ];
    };
    return (await Promise.all(refs.map((ref) => record(ref).catch(() => [])))).flat();
  }

  async create(
    repository: Repository,
    actor: Actor,
    { name, message, target: wanted }: { name: string; message?: string | null; target?: string | null },
  ): Promise<Ref> {
    const { git: reader, refUpdater } = this.deps;
    const git = reader.open(repository.id);
    plainName(name);
    const target = await git.resolve(wanted || repository.defaultBranch);
    if (!target)
      throw NotFound(`Target ${wanted || repository.defaultBranch} does not exist.`, {
        text: t.later('error.missing', { name: wanted || repository.defaultBranch }),
      });
    checkFree(await git.tags(), name);
    const oid = message ? await this.#annotated(repository, actor, name, message, target.commit) : target.commit;
    await refUpdater.updateRef(repository, actor, `refs/tags/${name}`, zeroOid, oid);
    return { ref: `refs/tags/${name}`, name, oid };
  }

  async delete(repository: Repository, actor: Actor, name: string): Promise<void> {
    const tag = await this.deps.git.open(repository.id).tag(name);
    if (!tag) throw NotFound('tag');
    await this.deps.refUpdater.updateRef(repository, actor, tag.ref, tag.oid, zeroOid);
  }

  async #annotated(repository: Repository, actor: Actor, name: string, message: string, object: string) {
    const { accounts, writer } = this.deps;
    const account = await accounts.byId(actor.id);
    const tagger = {
      name: account?.fullName || actor.name,
      email: account ? accounts.commitEmail(account) : '',
      time: Date.now(),
      zone: '+0000',
    };
    return writer.writeTag(repository.id, { object, name, tagger, message: `${message.trimEnd()}\n` });
  }
}
