import {
  Invalid,
  NotFound,
  pageRoute,
  formRoute,
  formText,
  reply,
  type FormValues,
  type Route,
} from '@mortise/plugin-sdk';
import { mustBeActive, refuseBlocked, repositoryResource } from '@mortise/repositories/api';
import { fileOwner, issueFiles } from '../services/attachment-kinds.js';
import { renderAnswers } from '../services/form-answers.js';
import type { IssueTemplate } from '../services/issue-template.js';
import { checkFiles, uploadedFiles, maxFiles, attachFiles } from '../services/attach-files.js';
import { answersOf, choicePage, newIssuePage, templatesOf } from './new-issue.js';
import { metadataInput } from './metadata-fields.js';
import { repositoryPathOf, type ListContext, type PageDeps } from './page-context.js';
import { t } from '../texts/index.js';

const access = { actor: 'user', resource: repositoryResource, unit: 'issues' } as const;
const named = (templates: readonly IssueTemplate[], file: string) => templates.find((one) => one.file_name === file);

/** Pages for a new issue, with templates and forms (ISS-01, ISS-02). */
export function newIssueRoutes(deps: PageDeps): Route[] {
  const { issueServices, accounts, site } = deps;
  const { issues, labels, assignees } = issueServices;
  const { attachments } = issueServices.deps;
  const { maxBytes } = attachments.limits(issueFiles);
  const listOf = ({ resource: { repository } }: ListContext) => `${repositoryPathOf(site, repository)}/issues`;

  /** What those who may write choose, and what the template says, whoever uses it. */
  const sorting = async ({ resource }: ListContext, values: FormValues, template: IssueTemplate | undefined) => {
    const { repository } = resource;
    const given = resource.may('write', 'issues');
    const fromTemplate = await labels.usableIn(repository, { names: template?.labels ?? [] });
    const able = async (name: string) => {
      const account = await accounts.byName(name);
      return account && (await assignees.isAssignable(repository, false, account)) ? [account.name] : [];
    };
    if (!given)
      return {
        labelIds: fromTemplate.map(({ id }) => id),
        assignees: (await Promise.all((template?.assignees ?? []).slice(0, 20).map(able))).flat(),
      };
    return metadataInput(values);
  };

  return [
    pageRoute('/{owner}/{repo}/issues/new/choose', access, async (context) => {
      mustBeActive(context.resource);
      const { templates, config } = await templatesOf(deps, context);
      if (templates.length + config.contact_links.length === 0) return reply.redirect(`${listOf(context)}/new`, 302);
      return choicePage(deps, context);
    }),
    pageRoute('/{owner}/{repo}/issues/new', access, async (context) => {
      mustBeActive(context.resource);
      const { templates, config } = await templatesOf(deps, context);
      const { template: file } = context.query as Readonly<Record<string, unknown>>;
      const template = typeof file === 'string' ? named(templates, file) : undefined;
      if (typeof file === 'string' && file && !template) throw NotFound('template');
      if (!template && templates.length && !config.blank_issues_enabled)
        return reply.redirect(`${listOf(context)}/new/choose`, 302);
      return newIssuePage(deps, context, { ...(template && { template }) });
    }),
    formRoute(
      '/{owner}/{repo}/issues/new',
      access,
      async (context, values) => {
        const { resource, actor } = context;
        const { repository } = resource;
        const files = uploadedFiles(values);
        try {
          mustBeActive(resource);
          await refuseBlocked(accounts, actor, repository.ownerId);
          const { templates, config } = await templatesOf(deps, context);
          const template = named(templates, formText(values, 'template', 300));
          if (!template && templates.length && !config.blank_issues_enabled) throw Invalid(t.later('new.noBlank'));
          checkFiles(attachments, issueFiles, files);
          const given = typeof values.body === 'string' ? values.body.replaceAll('\r\n', '\n').slice(0, 1_000_000) : '';
          const body = template?.body ? renderAnswers(template.body, answersOf(values)) : given;
          const sorted = await sorting(context, values, template);
          const ref = template && template.ref !== 'refs/heads/' ? template.ref : '';
          const issue = await issues.create(
            repository,
            { title: formText(values, 'title', 1000), body, ref, ...sorted },
            actor,
          );
          const linked = await attachFiles(attachments, fileOwner(issue), files, body, actor.id, site.path);
          if (linked !== body) await issues.link(issue, linked);
          return `${listOf(context)}/${issue.index}`;
        } finally {
          for (const file of files) file.destroy();
        }
      },
      async (context, values, flash) => {
        const { templates } = await templatesOf(deps, context);
        const template = named(templates, formText(values, 'template', 300));
        return newIssuePage(deps, context, { sent: values, flash, ...(template && { template }) });
      },
      {
        as: 'multipart',
        maxFiles: 2 * maxFiles,
        maxBytes: maxBytes === undefined ? 0 : maxBytes * maxFiles + (6 << 20),
      },
    ),
  ];
}
