import {
  contentDisposition,
  BadRequest,
  Joi,
  NotFound,
  defineRoute,
  reply,
  type Reply,
  type Route,
  type RouteContext,
} from '@mortise/plugin-sdk';
import type { RepositoryContext } from '@mortise/repositories/api';
import { ArchiveService, type ArchiveForm } from '../services/archives.js';
import { cleanPath } from '../services/reading.js';
import { partOf } from '../services/raw.js';
import { base, readCode, tags, type ContentServices } from './shared.js';

const forms = /^(.+)\.(zip|tar\.gz|bundle)$/;
const pathQuery = Joi.object({
  path: Joi.array()
    .items(Joi.string())
    .single()
    .max(100)
    .description('Only what lies below; may be given several times'),
}).unknown();
const archiveAnswers = { 200: null, 206: null, 400: null, 416: null, 503: null } as const;
const mediaType = 'application/octet-stream';

/** Archives of references, over the API and beside the pages; programs sign in here too (CNT-23). */
export function archiveRoutes({ git: reader, site, archives }: ContentServices): Route[] {
  const serve = async (
    { subject, headers, raw }: RouteContext<RepositoryContext>,
    name: string,
    paths: readonly string[],
  ): Promise<Reply> => {
    const { repository } = subject;
    const [, ref, form] = forms.exec(name) ?? [];
    if (!ref || !form) throw BadRequest('an archive ends in .zip, .tar.gz or .bundle');
    const git = reader.open(repository.id);
    const found = await git.resolve(ref);
    if (!found) throw NotFound(`reference ${ref} does not exist`);
    const clean = [...new Set(paths.map(cleanPath).filter(Boolean))].sort();
    if (form === 'bundle' && clean.length > 0) throw BadRequest('a bundle holds everything; it takes no path');
    for (const path of clean) if (!(await git.entry(found.commit, path))) throw BadRequest(`${path} does not exist`);
    const info = await archives.prepare({
      repositoryId: repository.id,
      commit: found.commit,
      form: form as ArchiveForm,
      prefix: `${repository.lowerName}/`,
      paths: clean.length ? clean : undefined,
    });
    const tag = ArchiveService.tagOf(info.key);
    const known = (headers['if-none-match'] ?? '').includes(`"${tag}"`);
    const part = known ? undefined : partOf(headers, { tag, size: info.size });
    // The range is served here; the HTTP library would refuse units that it does not know instead of ignoring them.
    delete raw.request.headers.range;
    const lasting = site.url(`/${repository.ownerName}/${repository.name}/archive/${found.commit}.${form}`);
    const answer = reply
      .bytes(known ? Buffer.alloc(0) : await archives.open(info, part), mediaType, part ? 206 : 200)
      .tag(tag)
      .header('accept-ranges', 'bytes')
      .header('content-length', String(part ? part.end - part.start + 1 : info.size))
      .header(
        'content-disposition',
        contentDisposition('attachment', `${repository.name}-${ref.replaceAll('/', '-')}.${form}`),
      )
      .header('link', `<${lasting}>; rel="immutable"`)
      .header('x-content-type-options', 'nosniff');
    return part ? answer.header('content-range', `bytes ${part.start}-${part.end}/${info.size}`) : answer;
  };
  const pathsOf = (query: { path?: string[] }) => query.path ?? [];
  const access = { ...readCode, expensive: true };
  const spelled = (word: string, form: string) =>
    defineRoute({
      method: 'GET' as const,
      path: `${base}/${word}/{ref*}`,
      tags,
      access,
      answers: archiveAnswers,
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
      answers: archiveAnswers,
      handler: (context) => serve(context, context.params.archive, pathsOf(context.query)),
    }),
    spelled('tarball', 'tar.gz'),
    spelled('zipball', 'zip'),
    defineRoute({
      method: 'GET',
      path: '/{owner}/{repo}/archive/{archive*}',
      surface: 'protocol',
      access,
      request: { query: pathQuery },
      handler: (context) => serve(context, context.params.archive, pathsOf(context.query)),
    }),
  ];
}
