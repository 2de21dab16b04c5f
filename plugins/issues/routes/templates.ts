import { Joi, NotFound, defineRoute, type Route } from '@mortise/plugin-sdk';
import { repositoryResource, repositoryTags } from '@mortise/repositories/api';
import type { IssueFiles } from '../services/issue-files.js';
import { labelTemplates } from '../templates/labels.js';
import { base } from './route-options.js';

const configSchema = Joi.object({
  blank_issues_enabled: Joi.boolean().required(),
  contact_links: Joi.array()
    .items(
      Joi.object({
        name: Joi.string().required(),
        url: Joi.string().required(),
        about: Joi.string().required(),
      }).label('IssueConfigContactLink'),
    )
    .required(),
}).label('IssueConfig');

const strings = Joi.array().items(Joi.string());
const data = Joi.object().pattern(Joi.string(), Joi.any());
const templateSchema = Joi.object({
  name: Joi.string().required(),
  title: Joi.string().allow('').required(),
  about: Joi.string().required(),
  labels: strings.allow(null).required(),
  assignees: strings.allow(null).required(),
  ref: Joi.string().required(),
  content: Joi.string().allow('').required(),
  body: Joi.array()
    .items(
      Joi.object({
        type: Joi.string().valid('markdown', 'textarea', 'input', 'dropdown', 'checkboxes').required(),
        id: Joi.string().required(),
        attributes: data.required(),
        validations: data.allow(null).required(),
        visible: strings.required(),
      }).label('IssueFormField'),
    )
    .allow(null)
    .required(),
  file_name: Joi.string().required(),
}).label('IssueTemplate');

const labels = '/api/v1/label/templates';

/** What new issues and new repositories begin with: templates and forms of a repository, sets of labels. */
export function templateRoutes({ issueFiles }: { readonly issueFiles: IssueFiles }): Route[] {
  const readCode = { actor: 'anyone', scope: 'repository', resource: repositoryResource, unit: 'code' } as const;
  const none = { actor: 'anyone' } as const;
  return [
    defineRoute({
      method: 'GET',
      path: `${base}/issue_templates`,
      id: 'repoGetIssueTemplates',
      tags: repositoryTags,
      summary: 'Issue templates and forms of the default branch',
      access: readCode,
      responses: { 200: Joi.array().items(templateSchema).label('IssueTemplates') },
      handler: ({ resource }) => issueFiles.templates(resource.repository),
    }),
    defineRoute({
      method: 'GET',
      path: `${base}/issue_config`,
      id: 'repoGetIssueConfig',
      tags: repositoryTags,
      summary: 'Blank issues and links to other places',
      access: readCode,
      responses: { 200: configSchema },
      handler: ({ resource }) => issueFiles.config(resource.repository),
    }),
    defineRoute({
      method: 'GET',
      path: `${base}/issue_config/validate`,
      id: 'repoValidateIssueConfig',
      tags: repositoryTags,
      summary: 'Is the configuration of issues a good one?',
      access: readCode,
      responses: {
        200: Joi.object({ valid: Joi.boolean().required(), message: Joi.string().allow('').required() }).label(
          'IssueConfigValidation',
        ),
      },
      async handler({ resource }) {
        const message = await issueFiles.problem(resource.repository);
        return { valid: message === '', message };
      },
    }),
    defineRoute({
      method: 'GET',
      path: labels,
      id: 'listLabelTemplates',
      tags: ['miscellaneous'],
      summary: 'Names of label sets (ISS-30)',
      access: none,
      responses: { 200: Joi.array().items(Joi.string()).label('LabelTemplateList') },
      handler: () => [...labelTemplates.keys()],
    }),
    defineRoute({
      method: 'GET',
      path: `${labels}/{name}`,
      id: 'getLabelTemplateInfo',
      tags: ['miscellaneous'],
      summary: 'One set of labels',
      access: none,
      responses: {
        200: Joi.array()
          .items(
            Joi.object({
              name: Joi.string().required(),
              color: Joi.string().required(),
              description: Joi.string().allow('').required(),
              exclusive: Joi.boolean().required(),
            }).label('LabelTemplate'),
          )
          .label('LabelTemplateInfo'),
        404: null,
      },
      handler({ params }) {
        const template = labelTemplates.get(params.name);
        if (!template) throw NotFound('template');
        return template;
      },
    }),
  ];
}
