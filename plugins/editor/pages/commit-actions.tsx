import type { VNode } from 'preact';
import { icon, type Slot } from '@mortise/plugin-sdk';
import type { CommitPageContext } from '@mortise/history/api';
import { takesCommits } from '@mortise/repositories/api';
import { t } from '../texts/index.js';

/** On the page of a commit: revert it, or apply it to another branch. */
export const pickActions: Slot<CommitPageContext> = {
  key: 'editor.pick',
  order: 10,
  render({ context, actor, commit, repositoryPath }) {
    const { repository } = context;
    if (actor.kind !== 'user' || !takesCommits(repository) || !context.may('write', 'code'))
      return Promise.resolve(null);
    const branch = repository.defaultBranch.split('/').map(encodeURIComponent).join('/');
    return Promise.resolve(<Links href={(action) => `${repositoryPath}/${action}/${commit.oid}/${branch}`} />);
  },
};

const Links = ({ href }: { href: (action: string) => string }): VNode => (
  <>
    <a class="btn btn-sm" href={href('_revert')}>
      {icon('undo')} {t('pick.revert')}
    </a>
    <a class="btn btn-sm" href={href('_cherry-pick')}>
      {icon('git-commit')} {t('pick.pick')}
    </a>
  </>
);
