import {
  BadRequest,
  Joi,
  NotFound,
  defineRoute,
  serveDownload,
  type Reply,
  type Route,
  type RouteContext,
  type Site,
} from '@mortise/plugin-sdk';
import type { GitReader } from '@mortise/git/api';
import type { RepositoryContext, RepositoryPages } from '@mortise/repositories/api';
import { ArchiveService, type ArchiveForm } from '../services/archives.js';
import { t } from '../texts/index.js';
import { cleanPath, readCode, repositoryApi as base, repositoryTags as tags } from '@mortise/history/api';

const forms = /^(.+)\.(zip|tar\.gz|bundle)$/;
const pathQuery = Joi.object<{ readonly path?: readonly string[] }>({
  path: Joi.array()
    .items(Joi.string(), Joi.valid('').strip())
    .single()
    .max(100)
    .description('Only what lies below; may be given several times'),
}).unknown();
const archiveResponses = { 200: null, 206: null, 400: null, 416: null, 503: null } as const;

/** Archives of references, over the API and beside the pages; programs sign in here too (CNT-23). */
export function archiveRoutes({
  git: reader,
  site,
  archives,
  hasPrefix,
  pages,
}: {
  readonly git: GitReader;
  readonly site: Site;
  readonly archives: ArchiveService;
  /** All of an archive lies in a folder. */
  readonly hasPrefix: boolean;
  readonly pages: Pick<RepositoryPages, 'offersArchives'>;
}): Route[] {
  const serve = async (
    { resource, raw }: RouteContext<RepositoryContext>,
    name: string,
    paths: readonly string[],
  ): Promise<Reply> => {
    const { repository } = resource;
    const [, ref, form] = forms.exec(name) ?? [];
    if (!ref || !form) throw BadRequest(t.later('error.archiveForm'));
    const git = reader.open(repository.id);
    const revision = await git.resolve(ref);
    if (!revision) throw NotFound(t.later('error.noReference', { name: ref }));
    const clean = [...new Set(paths.map(cleanPath).filter(Boolean))].sort();
    if (form === 'bundle' && clean.length > 0) throw BadRequest(t.later('error.bundlePath'));
    for (const path of clean)
      if (!(await git.entry(revision.commit, path))) throw BadRequest(t.later('error.missing', { path }));
    const info = await archives.prepare({
      repositoryId: repository.id,
      commit: revision.commit,
      form: form as ArchiveForm,
      prefix: hasPrefix ? `${repository.lowerName}/` : '',
      paths: clean.length ? clean : undefined,
    });
    const tag = ArchiveService.tagOf(info.key);
    const lasting = site.url(`/${repository.ownerName}/${repository.name}/archive/${revision.commit}.${form}`);
    const answer = await serveDownload(
      {
        size: info.size,
        type: 'application/octet-stream',
        tag,
        name: `${repository.name}-${ref.replaceAll('/', '-')}.${form}`,
        open: (part) => archives.open(info, part),
      },
      raw.request,
    );
    return answer.header('link', `<${lasting}>; rel="immutable"`);
  };
  const pathsOf = (query: { readonly path?: readonly string[] }) => query.path ?? [];
  const access = { ...readCode, expensive: true };
  const spelled = (word: string, form: string) =>
    defineRoute({
      method: 'GET' as const,
      path: `${base}/${word}/{ref*}`,
      tags,
      access,
      responses: archiveResponses,
      handler: (context) => serve(context, `${context.params.ref}.${form}`, []),
    });

  return [
    defineRoute({
      method: 'GET',
      path: `${base}/archive/{archive*}`,
      id: 'repoGetArchive',
      tags,
      summary: 'A reference as zip, tar.gz or bundle (CNT-23)',
      access,
      request: { query: pathQuery },
      responses: archiveResponses,
      handler: (context) => serve(context, context.params.archive ?? '', pathsOf(context.query)),
    }),
    spelled('tarball', 'tar.gz'),
    spelled('zipball', 'zip'),
    defineRoute({
      method: 'GET',
      path: '/{owner}/{repo}/archive/{archive*}',
      surface: 'protocol',
      access,
      request: { query: pathQuery },
      handler: (context) => {
        if (!pages.offersArchives) throw NotFound('archive');
        return serve(context, context.params.archive ?? '', pathsOf(context.query));
      },
    }),
  ];
}
