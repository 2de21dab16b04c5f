import {
  BadRequest,
  Joi,
  NotFound,
  Problem,
  defineRoute,
  reply,
  type Reply,
  type Route,
  type RouteContext,
} from '@mortise/plugin-sdk';
import { isOid, type GitRepository } from '@mortise/git/api';
import type { RepositoryContext } from '@mortise/repositories/api';
import { guessPlace, splitPlace, type PlacedPath } from '../services/places.js';
import { disposition, serveBlob } from '../services/raw.js';
import { cleanPath, placeOf, type Place } from '../services/reading.js';
import { base, readCode, tags, type ContentServices } from './shared.js';

const forms = /^(.+)\.(zip|tar\.gz|bundle)$/;
const refQuery = Joi.object({ ref: Joi.string().allow('') }).unknown();
const pathQuery = Joi.object({ path: Joi.array().items(Joi.string()).single() }).unknown();

/** Bytes of files and archives of trees (CNT-23), over the API and beside the pages; programs sign in here too. */
export function fileRoutes({ git: reader, site }: ContentServices): Route[] {
  const isPrivate = ({ repository }: RepositoryContext) =>
    repository.isPrivate || repository.ownerVisibility !== 'public';

  const serve = async (
    { subject, raw }: RouteContext<RepositoryContext>,
    git: GitRepository,
    { place, path }: PlacedPath,
  ): Promise<Reply> => {
    const clean = cleanPath(path);
    const entry = clean ? await git.entry(place.commit, clean) : undefined;
    if (entry?.type !== 'blob') throw NotFound('file');
    const last = (await git.lastCommit(place.commit, clean)) ?? place.commit;
    const { committer } = await git.commit(last);
    return serveBlob(
      git,
      {
        oid: entry.oid,
        name: clean.slice(clean.lastIndexOf('/') + 1),
        modifiedAt: committer.time,
        isPrivate: isPrivate(subject),
        immutable: place.kind === 'commit',
      },
      raw.request,
    );
  };

  /** `ref` in the query, or in front of the path as older clients write it. */
  const byQuery: Route<RepositoryContext>['handler'] = async (context) => {
    const { params, query } = context;
    const { repository } = context.subject;
    const git = reader.open(repository.id);
    if (query.ref)
      return serve(context, git, { place: await placeOf(git, repository, query.ref), path: params.filepath });
    const own = await git.branch(repository.defaultBranch);
    const plain = own && (await git.entry(own.oid, cleanPath(params.filepath)));
    if (plain?.type === 'blob')
      return serve(context, git, {
        place: { kind: 'branch', name: own!.name, commit: own!.oid },
        path: params.filepath,
      });
    const guessed = await guessPlace(git, repository.defaultBranch, params.filepath);
    if (!guessed) throw NotFound('file');
    return serve(context, git, guessed);
  };

  const byPath =
    (kind: Place['kind']): Route<RepositoryContext>['handler'] =>
    async (context) => {
      const git = reader.open(context.subject.repository.id);
      return serve(context, git, await splitPlace(git, kind, context.params.path));
    };

  const archive = async (subject: RepositoryContext, name: string, paths: readonly string[]): Promise<Reply> => {
    const { repository } = subject;
    const [, ref, form] = forms.exec(name) ?? [];
    if (!ref || !form) throw BadRequest('an archive ends in .zip, .tar.gz or .bundle');
    const git = reader.open(repository.id);
    const found = await git.resolve(ref);
    if (!found) throw NotFound(`reference ${ref} does not exist`);
    const clean = paths.map(cleanPath).filter(Boolean);
    if (form === 'bundle' && clean.length > 0) throw BadRequest('a bundle holds everything; it takes no path');
    for (const path of clean) if (!(await git.entry(found.commit, path))) throw BadRequest(`${path} does not exist`);
    const stream = git.archive(found.commit, {
      format: form as 'zip' | 'tar.gz' | 'bundle',
      prefix: `${repository.lowerName}/`,
      paths: clean.length ? clean : undefined,
    });
    const lasting = site.url(`/${repository.ownerName}/${repository.name}/archive/${found.commit}.${form}`);
    return reply
      .bytes(stream, 'application/octet-stream')
      .header(
        'content-disposition',
        disposition('attachment', `${repository.name}-${ref.replaceAll('/', '-')}.${form}`),
      )
      .header('link', `<${lasting}>; rel="immutable"`)
      .header('x-content-type-options', 'nosniff');
  };
  const pathsOf = (query: { path?: string[] }) => query.path ?? [];
  const page = (path: string, handler: Route<RepositoryContext>['handler'], query?: Joi.ObjectSchema) =>
    defineRoute({
      method: 'GET',
      path: `/{owner}/{repo}${path}`,
      surface: 'protocol',
      access: readCode,
      request: query && { query },
      handler,
    });
  /** `.diff` and `.patch` of one commit, as the page of the commit links them. */
  const difference = (format: 'diff' | 'patch') =>
    page(`/commit/{sha}.${format}`, async ({ subject, params }) => {
      const git = reader.open(subject.repository.id);
      const oid = /^[0-9a-f]{4,64}$/.test(params.sha) ? await git.expand(params.sha) : undefined;
      if (!oid || (await git.info(oid))?.type !== 'commit') throw NotFound('commit');
      return reply
        .bytes(
          git.patch((await git.commit(oid)).parents[0], oid, { format, binary: true }),
          'text/plain; charset=utf-8',
        )
        .header('x-content-type-options', 'nosniff');
    });
  const files = (kind: 'raw' | 'media', id: string) =>
    defineRoute({
      method: 'GET',
      path: `${base}/${kind}/{filepath*}`,
      id,
      tags,
      summary: 'A file as it is',
      access: readCode,
      request: { query: refQuery },
      answers: { 200: null },
      handler: byQuery,
    });
  const spelled = (word: string, form: string) =>
    defineRoute({
      method: 'GET',
      path: `${base}/${word}/{ref*}`,
      tags,
      access: readCode,
      answers: { 200: null },
      handler: ({ subject, params }) => archive(subject, `${params.ref}.${form}`, []),
    });

  return [
    files('raw', 'repoGetRawFile'),
    files('media', 'repoGetRawFileOrLFS'),
    defineRoute({
      method: 'GET',
      path: `${base}/archive/{archive*}`,
      id: 'repoGetArchive',
      tags,
      summary: 'A reference as zip, tar.gz or bundle (CNT-23)',
      access: readCode,
      request: { query: pathQuery },
      answers: { 200: null, 400: null },
      handler: ({ subject, params, query }) => archive(subject, params.archive, pathsOf(query)),
    }),
    difference('diff'),
    difference('patch'),
    spelled('tarball', 'tar.gz'),
    spelled('zipball', 'zip'),
    page(
      '/archive/{archive*}',
      ({ subject, params, query }) => archive(subject, params.archive, pathsOf(query)),
      pathQuery,
    ),
    ...(['raw', 'media'] as const).flatMap((word) => [
      page(`/${word}/branch/{path*}`, byPath('branch')),
      page(`/${word}/tag/{path*}`, byPath('tag')),
      page(`/${word}/commit/{path*}`, byPath('commit')),
      page(`/${word}/blob/{oid}`, async ({ subject, params, raw }) => {
        const git = reader.open(subject.repository.id);
        if (!isOid(params.oid) || (await git.info(params.oid))?.type !== 'blob') throw NotFound('blob');
        return serveBlob(
          git,
          {
            oid: params.oid,
            name: params.oid,
            modifiedAt: subject.repository.createdAt,
            isPrivate: isPrivate(subject),
            immutable: true,
          },
          raw.request,
        );
      }),
      page(`/${word}/{path*}`, async ({ subject, params }) => {
        const { repository } = subject;
        const git = reader.open(repository.id);
        const found = await guessPlace(git, repository.defaultBranch, params.path);
        if (!found || !found.path) throw NotFound('file');
        if (!(await git.entry(found.place.commit, cleanPath(found.path))))
          throw new Problem('not_found', 'file does not exist');
        const encoded = `${found.place.name}/${found.path}`.split('/').map(encodeURIComponent).join('/');
        return reply.redirect(
          site.path(`/${repository.ownerName}/${repository.name}/${word}/${found.place.kind}/${encoded}`),
        );
      }),
    ]),
  ];
}
