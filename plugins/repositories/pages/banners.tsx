import { Fragment, type VNode } from 'preact';
import { PostButton, icon } from '@mortise/plugin-sdk';
import type { RepositoryPageContext } from '../api.js';
import type { HeaderData } from '../services/header-service.js';
import { t } from '../texts/index.js';

/** What everybody who opens a page of the repository should know first. */
export function Banners(props: { pageContext: RepositoryPageContext; data: HeaderData; base: string }): VNode {
  const { pageContext, data, base } = props;
  const { repository } = pageContext.context;
  const answer = (action: string, label: string, style: string) => (
    <PostButton action={`${base}/action/${action}`} class={`btn btn-sm ${style}`} formClass="d-inline-block">
      {label}
    </PostButton>
  );
  return (
    <Fragment>
      {repository.isArchived ? (
        <div class="flash flash-warn mb-3">
          {icon('archive')} {t('banner.archived')}
        </div>
      ) : null}
      {data.offeredTo && (data.mayAnswer || pageContext.context.may('admin')) ? (
        <div class="flash mb-3 d-flex flex-wrap flex-items-center gap-2">
          <span class="flex-auto">
            {icon('arrow-switch')} {t.rich('banner.transfer', { name: <strong>{data.offeredTo}</strong> })}
          </span>
          {data.mayAnswer ? answer('accept_transfer', t('banner.accept'), 'btn-primary') : null}
          {data.mayAnswer ? answer('reject_transfer', t('banner.reject'), '') : null}
          {pageContext.context.may('owner') ? answer('cancel_transfer', t('banner.cancel'), '') : null}
        </div>
      ) : null}
    </Fragment>
  );
}
