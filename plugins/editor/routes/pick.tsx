import { Joi, NotFound, defineRoute, reply, type Route, type Text } from '@mortise/plugin-sdk';
import type { FileChanges } from '@mortise/files/api';
import { isRefName, type Commit } from '@mortise/git/api';
import type { CommitDraft } from '../pages/commit-box.js';
import { PickForm, pickDraft } from '../pages/pick-form.js';
import type { Frame, PickAction } from '../pages/frame.js';
import type { EditTarget, EditTargets } from '../services/target.js';
import { t } from '../texts/index.js';
import { access, commitFields, commitOf, draftOf, refusalOf, type CommitFields, type EditorRoute } from './forms.js';

export interface PickServices {
  readonly targets: EditTargets;
  readonly frame: Frame;
  readonly changes: FileChanges;
}

/** Commits that are reverted, or applied to another branch. */
export function pickRoutes({ targets, frame, changes }: PickServices): Route[] {
  const open = async ({ resource, actor, params }: EditorRoute, sha: string) => {
    const target = await targets.open(resource, actor, params.rest ?? '');
    if (target.path || !target.head) throw NotFound('branch');
    const oid = /^[0-9a-f]{4,64}$/.test(sha) ? (await target.git.resolve(sha))?.commit : undefined;
    if (!oid) throw NotFound('commit');
    return { target, picked: await target.git.commit(oid) };
  };
  const show = (
    { actor, csrf }: EditorRoute,
    target: EditTarget,
    picked: Commit,
    action: PickAction,
    commit: CommitDraft,
    { error, status }: { readonly error?: Text; readonly status?: number } = {},
  ) =>
    frame.page(target, actor, csrf, {
      title: action === '_revert' ? t.later('pick.revertTitle') : t.later('pick.title'),
      status,
      islands: ['editor-style'],
      body: <PickForm {...{ frame, target, csrf, action, picked, commit, error }} />,
    });

  return (['_revert', '_cherry-pick'] as const).flatMap((action) => [
    defineRoute({
      method: 'GET',
      path: `/{owner}/{repo}/${action}/{sha}/{rest*}`,
      access,
      request: { query: Joi.object<{ readonly branch?: string }>({ branch: Joi.string().allow('').max(255) }) },
      async handler(route) {
        const { target, picked } = await open(route, route.params.sha);
        const wanted = route.query.branch?.trim() ?? '';
        if (wanted && wanted !== target.branch) {
          if (isRefName(wanted) && (await target.git.branch(wanted)))
            return reply.redirect(frame.pick({ ...target, branch: wanted }, action, picked.oid));
          return show(route, target, picked, action, pickDraft(target, picked, action), {
            error: t.later('error.noBranch', { name: wanted }),
            status: 422,
          });
        }
        return show(route, target, picked, action, pickDraft(target, picked, action));
      },
    }),
    defineRoute({
      method: 'POST',
      path: `/{owner}/{repo}/${action}/{sha}/{rest*}`,
      access,
      payload: { as: 'form' },
      request: { payload: Joi.object<CommitFields>(commitFields).label('PickForm') },
      async handler(route) {
        const { target, picked } = await open(route, route.params.sha);
        const commit = draftOf(route.payload);
        try {
          const { branch, commit: made } = await changes.apply(route.resource.repository, route.actor, {
            operations: [],
            pick: { commit: picked.oid, revert: action === '_revert' },
            ...commitOf(target, commit, pickDraft(target, picked, action).summary),
          });
          return reply.redirect(
            branch === target.branch ? frame.commit(target, made.oid) : frame.compare(target, branch),
          );
        } catch (error) {
          const { text, status } = refusalOf(error);
          return show(route, target, picked, action, commit, { error: text, status });
        }
      },
    }),
  ]);
}
