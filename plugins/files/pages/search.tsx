import type { VNode } from 'preact';
import { Blankslate, Joi, Problem, defineRoute, type Route, withFallback } from '@mortise/plugin-sdk';
import { at, pageAccess, pageContextOf, type RevisionView } from '@mortise/history/api';
import { t } from '../texts/index.js';
import { BranchSearch, openBranch } from './branch-search.js';
import { type PageDeps } from './page-deps.js';

const maxFound = 500;
const timeoutMs = 8_000;
const word = Joi.string()
  .allow('')
  .max(500)
  .pattern(/^[^\0\n]*$/);

interface Hit {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

interface SearchQuery {
  readonly q?: string;
  readonly mode?: 'fixed' | 'regex';
  readonly path?: string;
}

/** Search in the files of a branch: `git grep`, within bounds of time and number. */
export function searchPage(services: PageDeps): Route[] {
  const { pages } = services;
  const find = async (view: RevisionView, text: string, fixed: boolean, path: string) => {
    try {
      return await withFallback(
        view.git.grep(view.revision.commit, text, {
          fixed,
          path: path || undefined,
          limit: maxFound,
          ignoreCase: true,
        }),
        'late',
        timeoutMs,
      );
    } catch (error) {
      if (Problem.is(error)) return 'late' as const;
      throw error;
    }
  };
  const route = (address: string) =>
    defineRoute({
      method: 'GET' as const,
      path: address,
      surface: 'page' as const,
      access: pageAccess,
      request: {
        query: Joi.object<SearchQuery>({
          q: word,
          mode: Joi.string().valid('fixed', 'regex').empty(''),
          path: word,
        }).unknown(),
      },
      async handler(context) {
        const view = await openBranch(services, context);
        const {
          q = '',
          mode = 'fixed',
          path = '',
        } = context.query as {
          q?: string;
          mode?: Mode;
          path?: string;
        };
        const hits = q ? await find(view, q, mode === 'fixed', path) : [];
        return pages.page(pageContextOf(context), 'code', {
          title: q ? t.later('search.titleOf', { text: q }) : t.later('search.title'),
          islands: ['lines', 'shortcuts', 'filter'],
          body: <Search view={view} asked={{ q, mode, path }} found={hits} />,
        });
      },
    });
  return [route('/{owner}/{repo}/search'), route('/{owner}/{repo}/search/{rest*}')];
}

type Mode = 'fixed' | 'regex';

interface SearchProps {
  readonly view: RevisionView;
  readonly asked: { readonly q: string; readonly mode: Mode; readonly path: string };
  /** `late`: it took too long, or the expression is not understood. */
  readonly found: readonly Hit[] | 'late';
}

function Search({ view, asked: { q, mode, path }, found }: SearchProps): VNode {
  return (
    <BranchSearch
      view={view}
      word="search"
      submit={t('search.submit')}
      fields={
        <>
          <input
            class="form-control code-search-field"
            type="search"
            name="q"
            value={q}
            required
            placeholder={t('search.title')}
            aria-label={t('search.title')}
            data-focus
          />
          <input
            class="form-control"
            name="path"
            value={path}
            placeholder={t('search.path')}
            aria-label={t('search.path')}
          />
          <select class="form-select" name="mode" aria-label={t('search.mode')}>
            <option value="fixed" selected={mode === 'fixed'}>
              {t('search.exact')}
            </option>
            <option value="regex" selected={mode === 'regex'}>
              {t('search.regex')}
            </option>
          </select>
        </>
      }
    >
      {q ? <Results view={view} found={found} text={mode === 'fixed' ? q : undefined} /> : null}
    </BranchSearch>
  );
}

/** Hits of one file that are shown. */
const maxInFile = 50;

function Results({
  view,
  found,
  text,
}: Pick<SearchProps, 'view' | 'found'> & { readonly text: string | undefined }): VNode {
  if (found === 'late') return <p class="flash flash-warn">{t('search.late')}</p>;
  if (found.length === 0) return <Blankslate title={t('search.none')} icon="search" />;
  const files = new Map<string, Hit[]>();
  for (const hit of found) files.set(hit.path, [...(files.get(hit.path) ?? []), hit]);
  return (
    <div>
      <p class="color-fg-muted">
        {t(found.length >= maxFound ? 'search.foundFirst' : 'search.found', { lines: found.length, files: files.size })}
      </p>
      {[...files].map(([path, hits]) => (
        <div class="Box mb-3">
          <h2 class="Box-header f6 py-2 text-mono wb-break-all">
            <a href={at(view, 'src', path)}>{path}</a>
          </h2>
          <div class="code-scroll">
            <table class="code-lines code-found text-mono f6">
              <tbody>
                {hits.slice(0, maxInFile).map((hit) => (
                  <tr>
                    <td class="blob-num">
                      <a
                        href={`${at(view, 'src', path)}#L${hit.line}`}
                        data-line={hit.line}
                        aria-label={t('line', { line: hit.line })}
                      />
                    </td>
                    <td class="blob-code">
                      <Marked line={hit.text} text={text} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          {hits.length > maxInFile ? (
            <p class="Box-footer mb-0 f6 color-fg-muted">
              {t('search.moreInFile', { count: hits.length - maxInFile })}
            </p>
          ) : null}
        </div>
      ))}
    </div>
  );
}

/** The line with what was searched for marked; long lines are cut around it. */
function Marked({ line, text }: { line: string; text: string | undefined }): VNode {
  const max = 300;
  const first = text ? line.toLowerCase().indexOf(text.toLowerCase()) : -1;
  const start = Math.max(0, first > max / 2 ? first - 50 : 0);
  const shown = line.slice(start, start + max);
  if (!text || first < 0) return <span>{shown}</span>;
  const at_ = first - start;
  return (
    <span>
      {start > 0 ? '…' : ''}
      {shown.slice(0, at_)}
      <mark>{shown.slice(at_, at_ + text.length)}</mark>
      {shown.slice(at_ + text.length)}
    </span>
  );
}
