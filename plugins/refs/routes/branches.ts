import { Joi, defineRoute, reply, type Route } from '@mortise/plugin-sdk';
import type { GitReader } from '@mortise/git/api';
import {
  changeResponses,
  listOf,
  readCode,
  repositoryApi as base,
  repositoryTags as tags,
  writeCode,
} from '@mortise/history/api';
import { branchOf, type BranchService } from '../services/branches.js';
import { branchSchema } from './schemas.js';

const name = (label: string) => Joi.string().max(100).required().description(label);
const optional = () => Joi.string().allow('', null);

interface RepoUpdateBranchPayload {
  readonly new_commit_id: string;
  readonly old_commit_id?: string | null;
  readonly force?: boolean | null;
}

interface RepoCreateBranchPayload {
  readonly new_branch_name: string;
  readonly old_ref_name?: string | null;
  readonly old_branch_name?: string | null;
}

type BranchRouteDeps = {
  readonly git: GitReader;
  readonly branches: BranchService;
};

/** What these routes share. */
function branchContext({ git: reader, branches }: BranchRouteDeps) {
  return { reader, branches };
}

type BranchRouteContext = ReturnType<typeof branchContext>;

const repoListBranches = ({ reader, branches }: BranchRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${base}/branches`,
    id: 'repoListBranches',
    tags,
    summary: 'Branches',
    access: readCode,
    request: {
      query: Joi.object<{ readonly q?: string }>({ q: Joi.string().allow('').description('Part of the name') }),
    },
    responses: { 200: listOf(branchSchema, 'Branch') },
    async handler({ actor, resource, query, page }) {
      const word = (query.q ?? '').toLowerCase();
      const all = (await reader.open(resource.repository.id).branches()).filter(
        (ref) => !word || ref.name.toLowerCase().includes(word),
      );
      const shown = all.slice(page.offset, page.offset + page.limit);
      return reply.list(await branches.records(resource, actor, shown), all.length, true);
    },
  });

const repoGetBranch = ({ reader, branches }: BranchRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${base}/branches/{branch*}`,
    id: 'repoGetBranch',
    tags,
    summary: 'One branch',
    access: readCode,
    responses: { 200: branchSchema },
    async handler({ actor, resource, params }) {
      const there = await branchOf(reader.open(resource.repository.id), params.branch ?? '');
      return (await branches.records(resource, actor, [there]))[0];
    },
  });

const repoCreateBranch = ({ branches }: BranchRouteContext) =>
  defineRoute({
    method: 'POST',
    path: `${base}/branches`,
    id: 'repoCreateBranch',
    tags,
    summary: 'Create a branch',
    access: writeCode,
    request: {
      payload: Joi.object<RepoCreateBranchPayload>({
        new_branch_name: name('Name of the branch'),
        old_ref_name: optional().description('Branch, tag or commit to start from'),
        old_branch_name: optional().meta({ deprecated: true }),
      }).label('CreateBranchRepoOption'),
    },
    responses: { 201: branchSchema, 404: null, ...changeResponses },
    async handler({ actor, resource, payload }) {
      const made = await branches.create(resource, actor, payload.new_branch_name, {
        ref: payload.old_ref_name || undefined,
        branch: payload.old_branch_name || undefined,
      });
      return reply.created((await branches.records(resource, actor, [made]))[0]);
    },
  });

const repoRenameBranch = ({ branches }: BranchRouteContext) =>
  defineRoute({
    method: 'PATCH',
    path: `${base}/branches/{branch*}`,
    id: 'repoRenameBranch',
    tags,
    summary: 'Rename a branch',
    access: writeCode,
    request: {
      payload: Joi.object<{ readonly name: string }>({ name: name('New name') }).label('RenameBranchRepoOption'),
    },
    responses: { 204: null, ...changeResponses },
    async handler({ actor, resource, params, payload }) {
      await branches.rename(resource, actor, params.branch ?? '', payload.name);
      return reply.none();
    },
  });

const repoUpdateBranch = ({ branches }: BranchRouteContext) =>
  defineRoute({
    method: 'PUT',
    path: `${base}/branches/{branch*}`,
    id: 'repoUpdateBranch',
    tags,
    summary: 'Move a branch to another commit',
    access: writeCode,
    request: {
      payload: Joi.object<RepoUpdateBranchPayload>({
        new_commit_id: Joi.string().required(),
        old_commit_id: optional(),
        force: Joi.boolean().allow(null),
      }).label('UpdateBranchRepoOption'),
    },
    responses: { 204: null, ...changeResponses },
    async handler({ actor, resource, params, payload }) {
      await branches.move(resource, actor, params.branch ?? '', {
        commit: payload.new_commit_id,
        from: payload.old_commit_id || undefined,
        force: payload.force === true,
      });
      return reply.none();
    },
  });

const repoDeleteBranch = ({ branches }: BranchRouteContext) =>
  defineRoute({
    method: 'DELETE',
    path: `${base}/branches/{branch*}`,
    id: 'repoDeleteBranch',
    tags,
    summary: 'Delete a branch',
    access: writeCode,
    responses: { 204: null, ...changeResponses },
    async handler({ actor, resource, params }) {
      await branches.delete(resource, actor, params.branch ?? '');
      return reply.none();
    },
  });

/** Branches (REP-19, REP-20). */
export function branchRoutes(deps: BranchRouteDeps): Route[] {
  const context = branchContext(deps);
  return [
    repoListBranches(context),
    repoGetBranch(context),
    repoCreateBranch(context),
    repoRenameBranch(context),
    repoUpdateBranch(context),
    repoDeleteBranch(context),
  ];
}
