import type { VNode } from 'preact';
import type { Slot } from '@mortise/plugin-sdk';
import type { CommitPageContext } from '@mortise/history/api';
import { takesCommits } from '@mortise/repositories/api';
import { t } from '../texts/index.js';
import { CreateMenu } from './ref-menus.js';

/** On the page of a commit: a branch or tag that begins there. */
export const commitRefs: Slot<CommitPageContext> = {
  key: 'refs.create',
  order: 20,
  render({ context, actor, commit, repositoryPath }) {
    if (actor.kind !== 'user' || !takesCommits(context.repository) || !context.may('write', 'code'))
      return Promise.resolve(null);
    return Promise.resolve(<Menus oid={commit.oid} repositoryPath={repositoryPath} />);
  },
};

const Menus = ({ oid, repositoryPath }: { oid: string; repositoryPath: string }): VNode => (
  <>
    <CreateMenu
      label={t('commit.branch')}
      action={`${repositoryPath}/branches/new`}
      maxLength={100}
      glyph="git-branch"
      isPlain
    >
      <input type="hidden" name="from" value={oid} />
    </CreateMenu>
    <CreateMenu label={t('commit.tag')} action={`${repositoryPath}/tags/new`} maxLength={255} glyph="tag" isPlain>
      <input type="hidden" name="target" value={oid} />
      <label class="d-block mb-2">
        {t('tags.message')}
        <textarea class="form-control input-sm d-block width-full" name="message" rows={3} />
      </label>
    </CreateMenu>
  </>
);
