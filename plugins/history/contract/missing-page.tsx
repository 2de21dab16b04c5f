import type { VNode } from 'preact';
import { Problem, withFallback, icon, textOf, type Route, type Text } from '@mortise/plugin-sdk';
import type { RepositoryPages } from '@mortise/repositories/api';
import { t } from '../texts/index.js';
import { CodeBody } from './code-body.js';
import {
  at,
  encodePath,
  repositoryPathOf,
  openView,
  pageContextOf,
  type CodePageContext,
  type RevisionSources,
  type RevisionView,
} from './pages.js';
import { Switcher } from './ref-picker.js';

interface MissingPageDeps extends RevisionSources {
  readonly pages: RepositoryPages;
}

const wantsData = ({ headers }: CodePageContext) =>
  !(headers.accept ?? '').includes('text/html') && (headers.accept ?? '').includes('json');

/** What is not there: said within the repository, with ways to what is. */
async function missingPage(services: MissingPageDeps, context: CodePageContext, reason: Text): Promise<unknown> {
  const { repository } = context.resource;
  const repositoryPath = repositoryPathOf(services.site, context);
  const rest = (context.params as { rest?: string }).rest ?? '';
  // A file may be missing while its branch is there.
  const view = rest ? await withFallback(openView(services, context, rest), undefined) : undefined;
  return services.pages.page(pageContextOf(context), 'code', {
    title: t.later('missing.title'),
    status: 404,
    islands: ['lines', 'shortcuts', 'filter'],
    body: (
      <CodeBody
        find={view ? at(view, 'find', '') : `${repositoryPath}/find/branch/${encodePath(repository.defaultBranch)}`}
      >
        <Missing view={view} repositoryPath={repositoryPath} name={repository.name} reason={reason} />
      </CodeBody>
    ),
  });
}

interface MissingProps {
  readonly view: RevisionView | undefined;
  readonly repositoryPath: string;
  readonly name: string;
  readonly reason: Text;
}

function Missing({ view, repositoryPath, name, reason }: MissingProps): VNode {
  return (
    <>
      {view ? (
        <div class="mb-3">
          <Switcher view={{ ...view, path: '' }} word="src" />
        </div>
      ) : null}
      <div class="blankslate border rounded-2">
        <h2 class="blankslate-heading">{t('missing.heading')}</h2>
        <p class="error-reason wb-break-word">
          {view?.path ? t('missing.file', { path: view.path, name: view.revision.name }) : textOf(reason)}
        </p>
        <div class="code-row flex-justify-center">
          <a class="btn btn-primary" href={view ? at(view, 'src', '') : repositoryPath}>
            {icon('code')} {t('missing.files', { name: view ? view.revision.name : name })}
          </a>
          {view ? (
            <a class="btn" href={at(view, 'find', '')}>
              {icon('search')} {t('missing.find')}
            </a>
          ) : (
            <a class="btn" href={`${repositoryPath}/branches`}>
              {icon('git-branch')} {t('missing.branches')}
            </a>
          )}
        </div>
      </div>
    </>
  );
}

/** The same page, which does not lead out of the repository when a file, branch or commit is not there. */
export const keptInside = (services: MissingPageDeps, route: Route): Route => {
  if (route.method !== 'GET') return route;
  return {
    ...route,
    async handler(context) {
      try {
        return await route.handler(context);
      } catch (error) {
        if (!Problem.is(error) || error.status !== 404 || wantsData(context as CodePageContext)) throw error;
        return missingPage(services, context as CodePageContext, error.text);
      }
    },
  };
};
