import type { VNode } from 'preact';
import { CheckField, Csrf, TextField, icon } from '@mortise/plugin-sdk';
import type { IssuePages } from '@mortise/issues/api';
import { branchHref } from './page-context.js';
import { t } from '../texts/index.js';

export interface NewPullProps {
  readonly repositoryPath: string;
  readonly base: string;
  readonly label: string;
  readonly compare: string;
  readonly title: string;
  readonly body: string;
  /** Fields in place of the text. */
  readonly fields: VNode | undefined;
  readonly isDraft: boolean;
  readonly hasDrafts: boolean;
  /** Undefined: the head lies in the same repository. */
  readonly maintainers: boolean | undefined;
  /** Labels, milestone and assignees; null: the actor may not sort it. */
  readonly metadata: VNode | null;
  readonly repository: string;
  readonly editor: Pick<IssuePages, 'Editor' | 'EditorTexts'>;
  readonly more: readonly VNode[];
  readonly commits: VNode | null;
  readonly count: number;
}

/** The page with the form for a pull request between two branches. */
export const NewPull = ({ editor: { Editor, EditorTexts }, ...props }: NewPullProps): VNode => (
  <div>
    <h2 class="f2 text-normal mb-2">{t('new.title')}</h2>
    <p class="mb-3 wb-break-word">
      {t.rich('new.between', {
        base: (
          <a class="text-mono pull-ref" href={branchHref(props.repositoryPath, props.base)}>
            {props.base}
          </a>
        ),
        head: <code class="pull-ref wb-break-all">{props.label}</code>,
      })}{' '}
      <a href={props.compare}>{t('new.compare')}</a>
    </p>
    <form class="issue-layout mb-4" method="post" action={`${props.repositoryPath}/pulls/new`}>
      <div class="min-width-0">
        <Csrf />
        <input type="hidden" name="base" value={props.base} />
        <input type="hidden" name="head" value={props.label} />
        <TextField name="title" label={t('new.titleField')} required maxLength={255} value={props.title} />
        {props.fields ? (
          <>
            <input type="hidden" name="form" value="1" />
            {props.fields}
          </>
        ) : (
          <>
            <Editor
              id="pull-body"
              name="body"
              label={t('new.body')}
              value={props.body}
              lines={10}
              repository={props.repository}
              hidden={false}
            />
            <p class="note mb-3">{t('new.bodyNote')}</p>
          </>
        )}
        {props.more}
        {props.hasDrafts ? (
          <CheckField
            name="draft"
            value="on"
            label={t('new.draft')}
            note={t('new.draftNote')}
            checked={props.isDraft}
          />
        ) : null}
        {props.maintainers === undefined ? null : (
          <CheckField
            name="maintainers"
            value="on"
            label={t('new.maintainers')}
            note={t('new.maintainersNote')}
            checked={props.maintainers}
          />
        )}
        <button class="btn btn-primary" type="submit">
          {icon('git-pull-request')} {t('new.submit')}
        </button>
      </div>
      {props.metadata ?? <div />}
    </form>
    <EditorTexts />
    <h3 class="f4 mb-2">{t('new.commits', { count: props.count })}</h3>
    {props.commits}
  </div>
);
