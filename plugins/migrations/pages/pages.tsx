import {
  BadRequest,
  Forbidden,
  NotFound,
  pageRoute,
  formRoute,
  formStatus,
  formText,
  reply,
  webPage,
  type Flash,
  type PointReader,
  type Route,
  type RouteContext,
  type Site,
} from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import {
  administerPage,
  repositoryPageContext,
  repositoryResource,
  type Repositories,
  type RepositoryContext,
  type RepositoryDefaults,
  type RepositoryCreator,
  type RepositoryPages,
} from '@mortise/repositories/api';
import type { MigrationSource } from '../api.js';
import type { ImportStore } from '../services/import-store.js';
import type { ImportService } from '../services/import-service.js';
import type { ImportRunner } from '../services/import-runner.js';
import type { ImportSettings } from '../settings.js';
import { t } from '../texts/index.js';
import { newImportPages } from './new.js';
import { ownerPages } from './owner.js';
import { ImportList, Progress } from './progress.js';

export interface PageDeps {
  readonly accounts: Accounts;
  readonly repositories: Repositories;
  readonly creator: RepositoryCreator;
  readonly defaults: RepositoryDefaults;
  readonly pages: RepositoryPages;
  readonly imports: ImportStore;
  readonly service: ImportService;
  readonly importRunner: ImportRunner;
  readonly sources: PointReader<MigrationSource>;
  readonly settings: ImportSettings;
  readonly site: Site;
  readonly isDisabled: boolean;
}

const path = '/{owner}/{repo}/migration';
const maxListed = 500;
const islands = ['migrations-progress'];

/** How imports go on, and what can be done about them. */
function progressPages({ imports, service, repositories, pages, site, isDisabled }: PageDeps): Route[] {
  const show = async (context: RouteContext<RepositoryContext>, flash?: Flash) => {
    const { repository } = context.resource;
    const repositoryPath = site.path(`/${repository.ownerName}/${repository.name}`);
    const repositoryImport = await imports.of(repository.id);
    if (!repositoryImport) throw NotFound('import');
    const mayAdminister = context.resource.may('admin');
    const steps = await service.progress(repositoryImport, mayAdminister);
    // what was left out is named here, and nowhere else
    const hasNotes = steps.some(({ note }) => note);
    if (repositoryImport.state === 'done' && !hasNotes) return reply.redirect(repositoryPath);
    return pages.page(repositoryPageContext(context), '', () => ({
      title: t('progress.title'),
      islands,
      flash,
      status: formStatus(flash),
      body: (
        <>
          <h1 class="f2 mb-1">{t('progress.title')}</h1>
          <Progress
            repositoryImport={repositoryImport}
            steps={steps}
            page={`${repositoryPath}/migration`}
            repositoryPath={repositoryPath}
            fields={isDisabled ? undefined : service.credentialFieldsOf(repositoryImport)}
            mayAdminister={mayAdminister}
          />
        </>
      ),
    }));
  };

  const list = async (context: RouteContext) => {
    const { batch } = context.query as { readonly batch?: unknown };
    const recentImports = await imports.ofUser(
      context.actor.id,
      maxListed,
      typeof batch === 'string' ? batch : undefined,
    );
    const named = await repositories.byIds(recentImports.map(({ repositoryId }) => repositoryId));
    const items = await service.withProgress(recentImports);
    return webPage(() => ({
      title: t('list.title'),
      islands,
      body: (
        <>
          <h1 class="f2 mb-1">{t('list.title')}</h1>
          <ImportList
            items={items.flatMap((one) => {
              const repository = named.get(one.repositoryImport.repositoryId);
              return repository ? [{ ...one, name: `${repository.ownerName}/${repository.name}` }] : [];
            })}
            href={(name) => site.path(`/${name}/migration`)}
          />
          <p class="mt-3">
            <a class="btn" href={site.path('/repo/migrate')}>
              {t('new.title')}
            </a>
          </p>
        </>
      ),
    }));
  };

  return [
    pageRoute(path, { actor: 'anyone', resource: repositoryResource }, (context) => show(context)),
    formRoute(
      path,
      administerPage,
      async ({ resource: { repository } }, values) => {
        const repositoryImport = await imports.of(repository.id);
        if (!repositoryImport) throw NotFound('import');
        const action = formText(values, 'action');
        if (action === 'cancel') await service.cancel(repositoryImport);
        else if (action === 'retry') {
          if (isDisabled) throw Forbidden(t.later('error.disabled'));
          const fields = service.credentialFieldsOf(repositoryImport);
          await service.retry(
            repositoryImport,
            Object.fromEntries(fields.map(({ name }) => [name, formText(values, name, 4096)])),
          );
        } else throw BadRequest(t.later('error.action'));
        return site.path(`/${repository.ownerName}/${repository.name}/migration`);
      },
      (context, _values, flash) => show(context, flash),
    ),
    pageRoute('/user/migrations', { actor: 'user' }, list),
  ];
}

export const migrationPages = (deps: PageDeps): Route[] => [
  ...newImportPages(deps),
  ...ownerPages(deps),
  ...progressPages(deps),
];
