import type { VNode } from 'preact';
import { Csrf, icon, Joi, NotFound, pageRoute, postRoute, reply, type Text, type Route } from '@mortise/plugin-sdk';
import { isRefName, type Commit } from '@mortise/git/api';
import { bodyOf, subjectOf } from '@mortise/history/api';
import type { EditTarget, EditTargets } from '../services/target.js';
import { t } from '../texts/index.js';
import { CommitBox, freshDraft, type CommitDraft } from './commit-box.js';
import { Refusal, type Frame, type PickAction } from './frame.js';
import type { FileChanges } from '@mortise/files/api';
import {
  access,
  commitFields,
  commitOf,
  draftOf,
  refusalOf,
  type CommitFields,
  type EditorRoute,
} from './commit-form.js';

/** Longest summary that a form takes. */
const maxSummary = 500;

/** What git writes by itself into such commits: English, as all that is kept in histories. */
function pickDraft(target: EditTarget, commit: Commit, action: PickAction): CommitDraft {
  const subject = subjectOf(commit.message);
  const draft = freshDraft(target);
  if (action === '_revert')
    return {
      ...draft,
      summary: `Revert "${subject.slice(0, maxSummary - 9)}"`,
      description: `This reverts commit ${commit.oid}.`,
    };
  const origin = `(cherry picked from commit ${commit.oid})`;
  return { ...draft, summary: subject, description: [bodyOf(commit.message), origin].filter(Boolean).join('\n\n') };
}

interface PickFormProps {
  readonly frame: Frame;
  readonly target: EditTarget;
  readonly action: PickAction;
  readonly picked: Commit;
  readonly commit: CommitDraft;
  readonly error?: Text;
}

/** Reverts a commit, or applies it to another branch. */
function PickForm({ frame, target, action, picked, commit, error }: PickFormProps): VNode {
  const isRevert = action === '_revert';
  return (
    <>
      <h2 class="f3 mb-2">{isRevert ? t('pick.revertTitle') : t('pick.title')}</h2>
      <p class="wb-break-word">
        <a href={frame.commit(target, picked.oid)}>
          <span class="text-mono">{picked.oid.slice(0, 10)}</span> {subjectOf(picked.message)}
        </a>
      </p>
      {picked.parents.length > 1 ? <p class="note mb-3">{t('pick.merge')}</p> : null}
      <form method="get" class="d-flex flex-wrap flex-items-center gap-2 mb-3">
        <label for="pick-branch">{t('pick.branch')}</label>
        <input
          id="pick-branch"
          class="form-control input-sm"
          name="branch"
          value={target.branch}
          required
          maxLength={255}
          spellcheck={false}
        />
        <button class="btn btn-sm" type="submit">
          {icon('git-branch')} {t('pick.change')}
        </button>
      </form>
      <form method="post" action={frame.pick(target, action, picked.oid)}>
        <Csrf />
        <Refusal text={error} />
        <CommitBox target={target} draft={commit} placeholder={subjectOf(picked.message)} />
        <div class="d-flex flex-wrap gap-2 mb-4">
          <button class="btn btn-primary" type="submit">
            {icon('git-commit')} {isRevert ? t('pick.revert') : t('pick.pick')}
          </button>
          <a class="btn" href={frame.commit(target, picked.oid)}>
            {t('cancel')}
          </a>
        </div>
      </form>
    </>
  );
}

interface PickServices {
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
    { actor }: EditorRoute,
    target: EditTarget,
    picked: Commit,
    action: PickAction,
    commit: CommitDraft,
    { error, status }: { readonly error?: Text; readonly status?: number } = {},
  ) =>
    frame.page(target, actor, {
      title: action === '_revert' ? t.later('pick.revertTitle') : t.later('pick.title'),
      status,
      islands: ['editor-style'],
      body: <PickForm {...{ frame, target, action, picked, commit, error }} />,
    });

  return (['_revert', '_cherry-pick'] as const).flatMap((action) => [
    pageRoute(
      `/{owner}/{repo}/${action}/{sha}/{rest*}`,
      access,
      async (route) => {
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
      { query: Joi.object<{ readonly branch?: string }>({ branch: Joi.string().allow('').max(255) }) },
    ),
    postRoute(
      `/{owner}/{repo}/${action}/{sha}/{rest*}`,
      access,
      async (route) => {
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
      { payload: Joi.object<CommitFields>(commitFields).label('PickForm') },
    ),
  ]);
}
