import {
  Conflict,
  Forbidden,
  Invalid,
  Joi,
  NotFound,
  defineRoute,
  reply,
  type Actor,
  type Route,
  zonedTime,
} from '@mortise/plugin-sdk';
import { isRefName, zeroOid, type GitRepository, type Ref } from '@mortise/git/api';
import type { Repository, RepositoryContext } from '@mortise/repositories/api';
import { base, list, object, readCode, tags, writeCode, type ContentServices } from './shared.js';

const name = (label: string) => Joi.string().max(100).required().description(label);

/** Branches (REP-19, REP-20) and tags. */
export function referenceRoutes({
  fresh,
  git: reader,
  writer,
  commits,
  changes,
  repositories,
  accounts,
  store,
}: ContentServices): Route[] {
  const branchRecords = async ({ repository, may }: RepositoryContext, actor: Actor, refs: readonly Ref[]) => {
    const writes = actor.kind === 'user' && may('write', 'code');
    const key = `${repository.id}:${repository.ownerName}/${repository.name}:${writes}:${refs.map((ref) => `${ref.name}@${ref.oid}`).join()}`;
    return (await fresh.load(key, () => makeBranchRecords(repository, writes, refs))) as Awaited<
      ReturnType<typeof makeBranchRecords>
    >;
  };
  const makeBranchRecords = async (repository: Repository, writes: boolean, refs: readonly Ref[]) => {
    const git = reader.open(repository.id);
    const heads = await git.commits(refs.map((ref) => ref.oid));
    const byOid = new Map(heads.map((commit) => [commit.oid, commit]));
    const people = await commits.people(heads);
    return refs.flatMap((ref) => {
      const commit = byOid.get(ref.oid);
      if (!commit) return [];
      return [
        {
          name: ref.name,
          commit: commits.payload(repository, commit, people),
          protected: false,
          required_approvals: 0,
          enable_status_check: false,
          status_check_contexts: [],
          user_can_push: writes,
          user_can_merge: writes,
          effective_branch_protection_name: '',
        },
      ];
    });
  };
  const tagRecords = async (repository: Repository, refs: readonly Ref[]) => {
    const git = reader.open(repository.id);
    const html = repositories.htmlUrl(repository);
    const records = await Promise.all(
      refs.map(async (ref) => {
        const peeled = await git.peel(ref.oid);
        if (peeled?.type !== 'commit') return undefined;
        const commit = await git.commit(peeled.oid);
        const message = ref.oid === peeled.oid ? commit.message : (await git.annotatedTag(ref.oid)).message;
        return {
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
        };
      }),
    );
    return records.filter((record) => record !== undefined);
  };
  const branchOf = async (git: GitRepository, branch: string) => {
    const found = await git.branch(branch);
    if (!found) throw NotFound(`branch ${branch} does not exist`);
    return found;
  };
  /** A name below an existing one (`a/b` beside `a`) cannot be stored by git. */
  const checkFree = (refs: readonly Ref[], wanted: string) => {
    if (refs.some((ref) => ref.name === wanted)) throw Conflict(`${wanted} exists already`);
    if (refs.some((ref) => ref.name.startsWith(`${wanted}/`) || wanted.startsWith(`${ref.name}/`)))
      throw Conflict(`${wanted} cannot stand beside a name that it contains or lies in`);
  };
  const plainName = (wanted: string) => {
    if (!isRefName(wanted) || /^refs\//.test(wanted) || wanted === 'HEAD')
      throw Invalid(`git does not take ${wanted} as a name`);
  };

  return [
    defineRoute({
      method: 'GET',
      path: `${base}/branches`,
      id: 'repoListBranches',
      tags,
      summary: 'Branches',
      access: readCode,
      request: { query: Joi.object({ q: Joi.string().allow('') }) },
      answers: { 200: list('Branch') },
      async handler({ actor, subject, query, page }) {
        const all = (await reader.open(subject.repository.id).branches()).filter(
          (ref) => !query.q || ref.name.toLowerCase().includes(query.q.toLowerCase()),
        );
        return reply.list(
          await branchRecords(subject, actor, all.slice(page.offset, page.offset + page.limit)),
          all.length,
          true,
        );
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${base}/branches/{branch*}`,
      id: 'repoGetBranch',
      tags,
      summary: 'One branch',
      access: readCode,
      answers: { 200: object('Branch') },
      handler: async ({ actor, subject, params }) =>
        (await branchRecords(subject, actor, [await branchOf(reader.open(subject.repository.id), params.branch)]))[0],
    }),
    defineRoute({
      method: 'POST',
      path: `${base}/branches`,
      id: 'repoCreateBranch',
      tags,
      summary: 'Create a branch',
      access: writeCode,
      request: {
        payload: Joi.object({
          new_branch_name: name('Name of the branch'),
          old_ref_name: Joi.string().allow('', null).description('Branch, tag or commit to start from'),
          old_branch_name: Joi.string().allow('', null).meta({ deprecated: true }),
        }).label('CreateBranchRepoOption'),
      },
      answers: { 201: object('Branch'), 404: null, 409: null },
      async handler({ actor, subject, payload }) {
        const { repository } = subject;
        const git = reader.open(repository.id);
        plainName(payload.new_branch_name);
        if (await git.isEmpty()) throw NotFound('the repository is empty');
        const start = payload.old_ref_name
          ? (await git.resolve(payload.old_ref_name))?.commit
          : (await branchOf(git, payload.old_branch_name || repository.defaultBranch)).oid;
        if (!start) throw NotFound(`reference ${payload.old_ref_name} does not exist`);
        checkFree(await git.branches(), payload.new_branch_name);
        if (await git.tag(payload.new_branch_name)) throw Conflict(`a tag ${payload.new_branch_name} exists already`);
        await changes.moveRef(repository, actor, `refs/heads/${payload.new_branch_name}`, zeroOid, start);
        return reply.created((await branchRecords(subject, actor, [await branchOf(git, payload.new_branch_name)]))[0]);
      },
    }),
    defineRoute({
      method: 'PATCH',
      path: `${base}/branches/{branch*}`,
      id: 'repoRenameBranch',
      tags,
      summary: 'Rename a branch',
      access: writeCode,
      request: { payload: Joi.object({ name: name('New name') }).label('RenameBranchRepoOption') },
      answers: { 204: null },
      async handler({ actor, subject, params, payload }) {
        const { repository } = subject;
        const git = reader.open(repository.id);
        const there = await branchOf(git, params.branch);
        plainName(payload.name);
        const isDefault = params.branch === repository.defaultBranch;
        if (isDefault && !subject.may('admin'))
          throw Forbidden('only administrators of the repository may rename its default branch');
        if (payload.name === params.branch) return reply.none();
        if (await git.branch(payload.name)) throw Invalid(`branch ${payload.name} exists already`);
        await changes.moveRefs(repository, actor, [
          { ref: there.ref, old: there.oid, new: zeroOid },
          { ref: `refs/heads/${payload.name}`, old: zeroOid, new: there.oid },
        ]);
        if (isDefault) {
          await repositories.setDerived(repository.id, { defaultBranch: payload.name });
          await store.setHead(repository.id, payload.name);
        }
        return reply.none();
      },
    }),
    defineRoute({
      method: 'PUT',
      path: `${base}/branches/{branch*}`,
      id: 'repoUpdateBranch',
      tags,
      summary: 'Move a branch to another commit',
      access: writeCode,
      request: {
        payload: Joi.object({
          new_commit_id: Joi.string().required(),
          old_commit_id: Joi.string().allow('', null),
          force: Joi.boolean().allow(null),
        }).label('UpdateBranchRepoOption'),
      },
      answers: { 204: null, 409: null },
      async handler({ actor, subject, params, payload }) {
        const git = reader.open(subject.repository.id);
        const there = await branchOf(git, params.branch);
        if (payload.old_commit_id && payload.old_commit_id !== there.oid)
          throw Invalid('the branch has moved meanwhile');
        const to = await git.resolve(payload.new_commit_id);
        if (!to) throw NotFound('commit');
        if (!payload.force && !(await git.isAncestor(there.oid, to.commit)))
          throw Invalid('the branch would lose commits; say force to do it all the same');
        await changes.moveRef(subject.repository, actor, there.ref, there.oid, to.commit);
        return reply.none();
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: `${base}/branches/{branch*}`,
      id: 'repoDeleteBranch',
      tags,
      summary: 'Delete a branch',
      access: writeCode,
      answers: { 204: null },
      async handler({ actor, subject, params }) {
        const there = await branchOf(reader.open(subject.repository.id), params.branch);
        if (params.branch === subject.repository.defaultBranch) throw Forbidden('the default branch cannot be deleted');
        await changes.moveRef(subject.repository, actor, there.ref, there.oid, zeroOid);
        return reply.none();
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${base}/tags`,
      id: 'repoListTags',
      tags,
      summary: 'Tags',
      access: readCode,
      answers: { 200: list('Tag') },
      async handler({ subject, page }) {
        const all = await reader.open(subject.repository.id).tags();
        return reply.list(
          await tagRecords(subject.repository, all.slice(page.offset, page.offset + page.limit)),
          all.length,
        );
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${base}/tags/{tag*}`,
      id: 'repoGetTag',
      tags,
      summary: 'One tag',
      access: readCode,
      answers: { 200: object('Tag') },
      async handler({ subject, params }) {
        const found = await reader.open(subject.repository.id).tag(params.tag);
        const [record] = found ? await tagRecords(subject.repository, [found]) : [];
        if (!record) throw NotFound('tag');
        return record;
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${base}/tags`,
      id: 'repoCreateTag',
      tags,
      summary: 'Create a tag; with a message an annotated one',
      access: writeCode,
      request: {
        payload: Joi.object({
          tag_name: Joi.string().max(255).required(),
          message: Joi.string().allow('', null),
          target: Joi.string().allow('', null),
        }).label('CreateTagOption'),
      },
      answers: { 201: object('Tag'), 409: null },
      async handler({ actor, subject, payload }) {
        const { repository } = subject;
        const git = reader.open(repository.id);
        plainName(payload.tag_name);
        const target = await git.resolve(payload.target || repository.defaultBranch);
        if (!target) throw NotFound(`target ${payload.target || repository.defaultBranch} does not exist`);
        checkFree(await git.tags(), payload.tag_name);
        let oid = target.commit;
        if (payload.message) {
          const account = await accounts.byId(actor.id);
          const tagger = {
            name: account?.fullName || actor.name,
            email: account ? accounts.commitEmail(account) : '',
            time: Date.now(),
            zone: '+0000',
          };
          oid = await writer.writeTag(repository.id, {
            object: target.commit,
            name: payload.tag_name,
            tagger,
            message: `${(payload.message as string).trimEnd()}\n`,
          });
        }
        await changes.moveRef(repository, actor, `refs/tags/${payload.tag_name}`, zeroOid, oid);
        const made = await git.tag(payload.tag_name);
        return reply.created(made && (await tagRecords(repository, [made]))[0]);
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: `${base}/tags/{tag*}`,
      id: 'repoDeleteTag',
      tags,
      summary: 'Delete a tag',
      access: writeCode,
      answers: { 204: null },
      async handler({ actor, subject, params }) {
        const found = await reader.open(subject.repository.id).tag(params.tag);
        if (!found) throw NotFound('tag');
        await changes.moveRef(subject.repository, actor, found.ref, found.oid, zeroOid);
        return reply.none();
      },
    }),
  ];
}
