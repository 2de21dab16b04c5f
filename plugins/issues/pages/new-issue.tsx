import type { VNode } from 'preact';
import { Csrf, icon, TextField, type Flash, type FormValues } from '@mortise/plugin-sdk';
import { markupIslands } from '@mortise/markup/api';
import { repositoryPageContext } from '@mortise/repositories/api';
import { conversationIslands } from '../api.js';
import type { Answers } from '../services/form-answers.js';
import type { IssueConfig } from '../services/issue-files.js';
import type { IssueTemplate } from '../services/issue-template.js';
import { commentFiles } from '../services/attachment-kinds.js';
import { EditorTexts, TextEditor } from './editor.js';
import { fieldTexts, FormFields, type FieldTexts } from './form-fields.js';
import { several, MetadataFields, metadataOf, type Metadata } from './metadata-fields.js';
import { repositoryPathOf, type ListContext, type PageDeps } from './page-context.js';
import { t } from '../texts/index.js';

/** The templates of a repository and what it says about issues, as far as the actor may read its code. */
export async function templatesOf({ issueServices: { issueFiles } }: PageDeps, { resource }: ListContext) {
  const nothing: { templates: readonly IssueTemplate[]; config: IssueConfig } = {
    templates: [],
    config: { blank_issues_enabled: true, contact_links: [] },
  };
  if (!resource.may('read', 'code')) return nothing;
  const [templates, config] = await Promise.all([
    issueFiles.templates(resource.repository),
    issueFiles.config(resource.repository),
  ]);
  return { templates, config };
}

/** The choice among templates, a blank issue and other places. */
export async function choicePage(deps: PageDeps, context: ListContext) {
  const { templates, config } = await templatesOf(deps, context);
  const action = `${repositoryPathOf(deps.site, context.resource.repository)}/issues/new`;
  return deps.pages.page(repositoryPageContext(context), 'issues', {
    title: t.later('new.title'),
    body: <Choice templates={templates} config={config} action={action} />,
  });
}

const ChoiceLink = ({
  href,
  title,
  about,
  button,
  outside,
}: {
  href: string;
  title: string;
  about: string;
  button: string;
  outside?: boolean;
}): VNode => (
  <li class="Box-row d-flex flex-wrap flex-items-center gap-2">
    <div class="flex-auto min-width-0">
      <strong class="wb-break-word">{title}</strong>
      <p class="mb-0 color-fg-muted wb-break-word">{about}</p>
    </div>
    <a
      class="btn btn-primary"
      href={href}
      aria-label={`${button}: ${title}`}
      rel={outside ? 'nofollow noopener' : undefined}
    >
      {button} {outside ? icon('link-external') : null}
    </a>
  </li>
);

const Choice = ({
  templates,
  config,
  action,
}: {
  templates: readonly IssueTemplate[];
  config: IssueConfig;
  action: string;
}): VNode => (
  <div>
    <h2 class="f3 mb-3">{t('new.choose')}</h2>
    <ul class="Box list-style-none">
      {templates.map((template) => (
        <ChoiceLink
          href={`${action}?template=${encodeURIComponent(template.file_name)}`}
          title={template.name}
          about={template.about}
          button={t('new.start')}
        />
      ))}
      {config.contact_links.map((link) => (
        <ChoiceLink href={link.url} title={link.name} about={link.about} button={t('new.openLink')} outside />
      ))}
      {config.blank_issues_enabled || templates.length === 0 ? (
        <ChoiceLink
          href={`${action}?blank=1`}
          title={t('new.blank')}
          about={t('new.blankNote')}
          button={t('new.start')}
        />
      ) : null}
    </ul>
  </div>
);

interface NewIssueForm {
  readonly template?: IssueTemplate;
  readonly sent?: FormValues;
  readonly flash?: Flash;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
export const answersOf =
  (values: FormValues): Answers =>
  (name) =>
    several(values, name);

/** The form for a new issue. */
export async function newIssuePage(deps: PageDeps, context: ListContext, { template, sent, flash }: NewIssueForm) {
  const { markup, site } = deps;
  const { resource } = context;
  const { repository } = resource;
  const query = context.query as Readonly<Record<string, unknown>>;
  const fullName = `${repository.ownerName}/${repository.name}`;
  const viewed = { kind: 'comment', repository: fullName, viewer: context } as const;
  const texts = await fieldTexts(markup, template?.body ?? [], viewed);
  const asked = (name: string) => textOf(query[name]).slice(0, 10_000);
  const named = (name: string) =>
    asked(name)
      .split(',')
      .map((one) => one.trim().toLowerCase())
      .filter(Boolean);
  const metadata = resource.may('write', 'issues')
    ? await metadataOf(deps, repository, sent, {
        labels: [...(template?.labels ?? []).map((one) => one.toLowerCase()), ...named('labels')],
        assignees: [...(template?.assignees ?? []).map((one) => one.toLowerCase()), ...named('assignees')],
        milestone: Number(asked('milestone')) || 0,
      })
    : undefined;
  return deps.pages.page(repositoryPageContext(context), 'issues', {
    title: t.later('new.title'),
    islands: [...markupIslands, ...conversationIslands],
    ...(flash && { flash, status: 422 }),
    body: (
      <NewIssue
        deps={deps}
        action={`${repositoryPathOf(site, repository)}/issues/new`}
        repository={fullName}
        template={template}
        texts={texts}
        sent={sent}
        title={sent ? textOf(several(sent, 'title')[0]) : asked('title') || (template?.title ?? '')}
        text={sent ? textOf(several(sent, 'body')[0]) : asked('body') || (template?.content ?? '')}
        metadata={metadata}
      />
    ),
  });
}

interface NewIssueProps {
  readonly deps: PageDeps;
  readonly action: string;
  readonly repository: string;
  readonly template: IssueTemplate | undefined;
  readonly texts: FieldTexts;
  readonly sent: FormValues | undefined;
  readonly title: string;
  readonly text: string;
  /** Undefined: the actor may not sort it. */
  readonly metadata: Metadata | undefined;
}

function NewIssue(props: NewIssueProps): VNode {
  const { deps, action, template, repository, sent } = props;
  const { maxBytes } = deps.issueServices.deps.attachments.limits(commentFiles);
  return (
    <form method="post" action={action} encType="multipart/form-data" class="issue-layout">
      <div class="min-width-0">
        <h2 class="f3 mb-3">{template ? t('new.from', { name: template.name }) : t('new.title')}</h2>
        {template ? <p class="color-fg-muted">{template.about}</p> : null}
        <Csrf />
        {template ? <input type="hidden" name="template" value={template.file_name} /> : null}
        <TextField name="title" label={t('title.label')} value={props.title} required maxLength={255} autofocus />
        {template?.body ? (
          <FormFields
            fields={template.body}
            texts={props.texts}
            fileName={template.file_name}
            repository={repository}
            files={{ maxBytes }}
            sent={sent && answersOf(sent)}
          />
        ) : (
          <TextEditor
            id="issue-body"
            name="body"
            label={t('new.text')}
            value={props.text}
            lines={12}
            repository={repository}
            files={{ maxBytes }}
            hidden={false}
          />
        )}
        <div class="d-flex gap-2">
          <button class="btn btn-primary" type="submit">
            {t('new.submit')}
          </button>
          <a class="btn" href={`${action.replace(/\/new$/, '')}`}>
            {t('edit.cancel')}
          </a>
        </div>
        <EditorTexts />
      </div>
      {props.metadata ? <MetadataFields {...props.metadata} emojify={deps.emojify} /> : <div />}
    </form>
  );
}
