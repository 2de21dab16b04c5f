import { Joi, defineRoute, type Route } from '@mortise/plugin-sdk';
import { repositoryResource, type RepositoryContext } from '../api.js';
import { repositoryPath, tag, type RouteServices } from './shared.js';

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

/** What a repository's files say about it: languages, licences, issue templates. */
export function aboutRoutes({
  git,
  licenses,
  issueFiles,
}: Pick<RouteServices, 'git' | 'licenses' | 'issueFiles'>): Route[] {
  const read = { actor: 'anyone', scope: 'repository', resource: repositoryResource } as const;
  const readCode = { ...read, unit: 'code' } as const;

  return [
    defineRoute({
      method: 'GET',
      path: `${repositoryPath}/languages`,
      id: 'repoGetLanguages',
      tags: tag,
      summary: 'Bytes by language',
      access: readCode,
      responses: { 200: Joi.object().pattern(Joi.string(), Joi.number().integer()).label('LanguageStatistics') },
      handler: ({ resource }) => languagesOf(resource),
    }),
    defineRoute({
      method: 'GET',
      path: `${repositoryPath}/licenses`,
      id: 'repoGetLicenses',
      tags: tag,
      summary: 'SPDX identifiers of the licence files',
      access: readCode,
      responses: { 200: strings.label('LicensesList') },
      async handler({ resource: { repository } }) {
        const facts = git.open(repository.id);
        const head = await facts.resolve(repository.defaultBranch);
        return head ? licenses.of(facts, head.commit) : [];
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${repositoryPath}/issue_templates`,
      id: 'repoGetIssueTemplates',
      tags: tag,
      summary: 'Issue templates and forms of the default branch',
      access: readCode,
      responses: { 200: Joi.array().items(templateSchema).label('IssueTemplates') },
      handler: ({ resource }) => issueFiles.templates(resource.repository),
    }),
    defineRoute({
      method: 'GET',
      path: `${repositoryPath}/issue_config`,
      id: 'repoGetIssueConfig',
      tags: tag,
      summary: 'Blank issues and links to other places',
      access: readCode,
      responses: { 200: configSchema },
      handler: ({ resource }) => issueFiles.config(resource.repository),
    }),
    defineRoute({
      method: 'GET',
      path: `${repositoryPath}/issue_config/validate`,
      id: 'repoValidateIssueConfig',
      tags: tag,
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
  ];

  /** Largest share first, as clients show them. */
  async function languagesOf({ repository }: RepositoryContext): Promise<Record<string, number>> {
    const facts = git.open(repository.id);
    const head = await facts.resolve(repository.defaultBranch);
    if (!head) return {};
    return Object.fromEntries(
      Object.entries(await facts.languages(head.commit)).sort(([, one], [, other]) => other - one),
    );
  }
}
