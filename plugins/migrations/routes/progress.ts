import { Joi, NotFound, apiTime, defineRoute, type Route } from '@mortise/plugin-sdk';
import { repositoryApi, repositoryResource } from '@mortise/repositories/api';
import { importSteps } from '../contract/importer.js';
import type { RepositoryImport, ImportStore } from '../services/import-store.js';
import type { ImportService } from '../services/import-service.js';

const stepSchema = Joi.object({
  step: Joi.string()
    .valid(...importSteps)
    .required(),
  state: Joi.string().valid('waiting', 'running', 'done', 'skipped').required(),
  done: Joi.number().integer().required().description('What has come; of code and wiki: objects of git'),
  total: Joi.number().integer().required().description('As far as the source says; 0: not known'),
  note: Joi.string()
    .allow('')
    .required()
    .description('Why it was skipped, or what was left out; empty for those who do not administer the repository'),
}).label('RepositoryMigrationStep');

const importSchema = Joi.object({
  service: Joi.string().required().description('Kind of the other service: `github`, `gitlab`, …'),
  clone_addr: Joi.string().required().description('Where it comes from, without user name and password'),
  state: Joi.string().valid('queued', 'running', 'paused', 'done', 'failed', 'cancelled').required(),
  error: Joi.string().allow('').required().description('Why it failed'),
  resumes_at: Joi.string()
    .isoDate()
    .allow(null)
    .required()
    .description('Of a paused one: when the source may be asked again'),
  created_at: Joi.string().isoDate().required(),
  updated_at: Joi.string().isoDate().required(),
  steps: Joi.array().items(stepSchema).required().description('What was asked for, in the order in which it comes'),
}).label('RepositoryMigration');

async function toApi(repositoryImport: RepositoryImport, mayAdminister: boolean, service: ImportService) {
  const { state, error, resumesAt, createdAt, updatedAt } = repositoryImport;
  return {
    service: repositoryImport.service,
    clone_addr: repositoryImport.address,
    state,
    error,
    resumes_at: state === 'paused' && resumesAt ? apiTime(resumesAt) : null,
    created_at: apiTime(createdAt),
    updated_at: apiTime(updatedAt),
    steps: await service.progress(repositoryImport, mayAdminister),
  };
}

/** What the page of an import shows, for programs; for whoever may see the page. */
export const progressRoutes = ({
  imports,
  service,
}: {
  readonly imports: ImportStore;
  readonly service: ImportService;
}): Route[] => [
  defineRoute({
    method: 'GET',
    path: `${repositoryApi}/migration`,
    id: 'repoGetMigration',
    tags: ['repository'],
    summary: 'Get how far the import of a repository is, by kind (an addition of Mortise)',
    access: { actor: 'anyone', scope: 'repository', resource: repositoryResource },
    responses: { 200: importSchema, 404: null },
    async handler({ resource }) {
      const repositoryImport = await imports.of(resource.repository.id);
      if (!repositoryImport) throw NotFound('import');
      return toApi(repositoryImport, resource.may('admin'), service);
    },
  }),
];
