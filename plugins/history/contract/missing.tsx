import { Problem, attempt, icon, type Route } from '@mortise/plugin-sdk';
import type { RepositoryPages } from '@mortise/repositories/api';
import { at, encodePath, homeOf, openView, placeOf, type CodePageContext, type RevisionSources } from './pages.js';
import { Switcher } from './parts.js';

interface MissingPageServices extends RevisionSources {
  readonly pages: RepositoryPages;
}

const wantsData = ({ headers }: CodePageContext) =>
  !(headers.accept ?? '').includes('text/html') && (headers.accept ?? '').includes('json');

/** What is not there: said within the repository, with ways to what is. */
async function missingPage(services: MissingPageServices, context: CodePageContext, reason: string): Promise<unknown> {
  const { repository } = context.subject;
  const home = homeOf(services.site, context);
  const rest = (context.params as { rest?: string }).rest ?? '';
  // A file may be missing while its branch is there.
  const view = rest ? await attempt(openView(services, context, rest), undefined) : undefined;
  const text = view?.path ? `there is no ${view.path} in ${view.revision.name}` : reason;
  return services.pages.page(placeOf(context), 'code', {
    title: 'Not found',
    status: 404,
    islands: ['lines', 'shortcuts', 'filter'],
    body: (
      <div data-find={view ? at(view, 'find', '') : `${home}/find/branch/${encodePath(repository.defaultBranch)}`}>
        {view ? <div class="mb-3">{await Switcher({ ...view, path: '' }, 'src')}</div> : null}
        <div class="blankslate border rounded-2">
          <h2 class="blankslate-heading">There is nothing here</h2>
          <p class="error-reason wb-break-word">{text}</p>
          <div class="d-flex flex-wrap flex-justify-center" style="gap: 8px">
            <a class="btn btn-primary" href={view ? at(view, 'src', '') : home}>
              {icon('code')} Files of {view ? view.revision.name : repository.name}
            </a>
            {view ? (
              <a class="btn" href={at(view, 'find', '')}>
                {icon('search')} Find file
              </a>
            ) : (
              <a class="btn" href={`${home}/branches`}>
                {icon('git-branch')} Branches
              </a>
            )}
          </div>
        </div>
      </div>
    ),
  });
}

/** The same page, which does not lead out of the repository when a file, branch or commit is not there. */
export const keptInside = (services: MissingPageServices, route: Route): Route => {
  if (route.method !== 'GET') return route;
  return {
    ...route,
    async handler(context) {
      try {
        return await route.handler(context);
      } catch (error) {
        if (!Problem.is(error) || error.status !== 404 || wantsData(context as CodePageContext)) throw error;
        return missingPage(services, context as CodePageContext, error.message);
      }
    },
  };
};
