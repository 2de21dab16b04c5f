import type { VNode } from 'preact';
import type { Slot } from '@mortise/plugin-sdk';
import type { CommitPageContext } from '@mortise/history/api';
import { takesCommits } from '@mortise/repositories/api';
import { t } from '../texts/index.js';
import { MakeMenu } from './parts.js';

/** On the page of a commit: a branch or tag that begins there. */
export const commitRefs: Slot<CommitPageContext> = {
  key: 'refs.create',
  order: 20,
  render({ context, actor, csrf, commit, home }) {
    if (actor.kind !== 'user' || !takesCommits(context.repository) || !context.may('write', 'code'))
      return Promise.resolve(null);
    return Promise.resolve(<Menus csrf={csrf} oid={commit.oid} home={home} />);
  },
};

const Menus = ({ csrf, oid, home }: { csrf: string; oid: string; home: string }): VNode => (
  <>
    <MakeMenu
      label={t('commit.branch')}
      action={`${home}/branches/new`}
      csrf={csrf}
      maxLength={100}
      glyph="git-branch"
      isPlain
    >
      <input type="hidden" name="from" value={oid} />
    </MakeMenu>
    <MakeMenu label={t('commit.tag')} action={`${home}/tags/new`} csrf={csrf} maxLength={255} glyph="tag" isPlain>
      <input type="hidden" name="target" value={oid} />
      <label class="d-block mb-2">
        {t('tags.message')}
        <textarea class="form-control input-sm d-block width-full" name="message" rows={3} />
      </label>
    </MakeMenu>
  </>
);
