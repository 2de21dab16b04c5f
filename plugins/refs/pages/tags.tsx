import type { VNode } from 'preact';
import { Blankslate, Ago, pageRoute, icon, Pager, withFallback, type Route, type Text } from '@mortise/plugin-sdk';
import type { AnnotatedTag, Commit, Ref } from '@mortise/git/api';
import {
  CodeBody,
  SignatureBadge,
  bodyOf,
  encodePath,
  repositoryPathOf,
  pageAccess,
  pageContextOf,
  subjectOf,
  type CodePageContext,
  type TrustedVerification,
} from '@mortise/history/api';
import { takesCommits } from '@mortise/repositories/api';
import { t } from '../texts/index.js';
import { doneFlash, formRoute } from './forms.js';
import { DeleteRef, CreateMenu } from './ref-menus.js';
import type { TagPageDeps } from './page-deps.js';

const done = { created: t.later('done.tagCreated'), deleted: t.later('done.tagDeleted') };

interface Row {
  readonly ref: Ref;
  readonly commit: Commit | undefined;
  readonly tag: AnnotatedTag | undefined;
}

/** What these routes share. */
function tagContext(services: TagPageDeps) {
  const { git: reader, pages, site, tags, verification, cache } = services;
  const rowOf = async (context: CodePageContext, ref: Ref): Promise<Row> => {
    const git = reader.open(context.resource.repository.id);
    const peeled = await withFallback(git.peel(ref.oid), undefined);
    const commit = peeled?.type === 'commit' ? await withFallback(git.commit(peeled.oid), undefined) : undefined;
    const tag = peeled && peeled.oid !== ref.oid ? await withFallback(git.annotatedTag(ref.oid), undefined) : undefined;
    return { ref, commit, tag };
  };
  /** All tags by time; what a tag names never changes under its id. */
  const newestFirst = async (context: CodePageContext, refs: readonly Ref[]): Promise<readonly Ref[]> => {
    if (refs.length > 2_000) return [...refs].reverse();
    const { id } = context.resource.repository;
    const timed = await Promise.all(
      refs.map(async (ref) => {
        const time = await cache.load(
          `tag-time:${id}:${ref.oid}`,
          async () => {
            const row = await rowOf(context, ref);
            return row.tag?.tagger?.time ?? row.commit?.committer.time ?? 0;
          },
          { size: () => 100 },
        );
        return { ref, time: time as number };
      }),
    );
    return timed.sort((one, other) => other.time - one.time).map(({ ref }) => ref);
  };
  const show = async (
    context: CodePageContext,
    flash: { kind: 'success' | 'error'; text: Text } | undefined,
    status = 200,
  ) => {
    const { resource, actor } = context;
    const repositoryPath = repositoryPathOf(site, context);
    const git = reader.open(resource.repository.id);
    const all = await newestFirst(context, await git.tags());
    const { page, limit, offset } = context.page;
    const rows = await Promise.all(all.slice(offset, offset + limit).map((ref) => rowOf(context, ref)));
    const signed = rows.flatMap((row) => (row.tag ? [row.tag] : []));
    const verifications = new Map(
      (await verification.verifyWithTrust(resource.repository, signed)).map((verification, index) => [
        signed[index]!.oid,
        verification,
      ]),
    );
    const mayWrite = actor.kind === 'user' && resource.may('write', 'code') && takesCommits(resource.repository);
    return pages.page(pageContextOf(context), 'code', {
      title: t.later('tags.title'),
      flash,
      status,
      islands: ['lines', 'shortcuts'],
      body: (
        <CodeBody find={`${repositoryPath}/find/branch/${encodePath(resource.repository.defaultBranch)}`}>
          <div class="code-row mb-3">
            <Heading count={all.length} />
            {mayWrite ? (
              <NewTag
                repositoryPath={repositoryPath}
                from={resource.repository.defaultBranch}
                sent={status < 400 ? undefined : (context.payload as Readonly<Record<string, string>> | undefined)}
              />
            ) : null}
          </div>
          <ul class="Box list-style-none">
            {rows.map((row) => (
              <TagRow
                row={row}
                repositoryPath={repositoryPath}
                mayWrite={mayWrite}
                hasArchives={pages.offersArchives}
                verification={verifications.get(row.ref.oid)}
              />
            ))}
            {rows.length === 0 ? <None /> : null}
          </ul>
          <Pager page={page} more={offset + rows.length < all.length} href={(to) => `?page=${to}`} />
        </CodeBody>
      ),
    });
  };
  const back = (context: CodePageContext, word: keyof typeof done) =>
    `${repositoryPathOf(site, context)}/tags?done=${word}`;
  return { show, tags, back };
}

type TagPageContext = ReturnType<typeof tagContext>;

const tagList = ({ show }: TagPageContext) =>
  pageRoute('/{owner}/{repo}/tags', pageAccess, (context) => show(context, doneFlash(context.query, done)));

const createTag = ({ tags, back, show }: TagPageContext) =>
  formRoute(
    '/{owner}/{repo}/tags/new',
    async (context, { name = '', target = '', message = '' }) => {
      await tags.create(context.resource.repository, context.actor, {
        name: name.trim(),
        target: target.trim(),
        message,
      });
      return back(context, 'created');
    },
    show,
  );

const deleteTag = ({ tags, back, show }: TagPageContext) =>
  formRoute(
    '/{owner}/{repo}/tags/delete',
    async (context, { name = '' }) => {
      await tags.delete(context.resource.repository, context.actor, name);
      return back(context, 'deleted');
    },
    show,
  );

/** Tags, the newest first. */
export function tagPages(services: TagPageDeps): Route[] {
  const context = tagContext(services);
  return [tagList(context), createTag(context), deleteTag(context)];
}

const None = (): VNode => (
  <li>
    <Blankslate title={t('tags.none')} icon="tag" level={3} plain />
  </li>
);
const Heading = ({ count }: { count: number }): VNode => (
  <h2 class="f3 flex-auto">
    {t('tags.title')} <span class="Counter">{count}</span>
  </h2>
);

function NewTag({
  repositoryPath,
  from,
  sent,
}: {
  repositoryPath: string;
  from: string;
  /** A refused form of the page. */
  sent: Readonly<Record<string, string>> | undefined;
}): VNode {
  // the form that deletes has a name only
  const again = sent?.target === undefined ? undefined : sent;
  return (
    <CreateMenu label={t('tags.new')} action={`${repositoryPath}/tags/new`} maxLength={255} name={again?.name}>
      <label class="d-block mb-2">
        {t('tags.at')}
        <input class="form-control input-sm d-block width-full" name="target" value={again?.target ?? from} required />
      </label>
      <label class="d-block mb-2">
        {t('tags.message')}
        <textarea class="form-control input-sm d-block width-full" name="message" rows={3}>
          {`\n${again?.message ?? ''}`}
        </textarea>
      </label>
    </CreateMenu>
  );
}

function TagRow({
  row: { ref, commit, tag },
  repositoryPath,
  mayWrite,
  hasArchives,
  verification,
}: {
  row: Row;
  repositoryPath: string;
  mayWrite: boolean;
  hasArchives: boolean;
  verification: TrustedVerification | undefined;
}): VNode {
  const name = encodePath(ref.name);
  const body = tag ? bodyOf(tag.message) : '';
  return (
    <li class="Box-row code-row">
      <div class="flex-auto ref-facts">
        <a class="text-bold wb-break-word row-link" href={commit ? `${repositoryPath}/src/tag/${name}` : undefined}>
          {icon('tag')} {ref.name}
        </a>{' '}
        <SignatureBadge verification={verification} />
        <p class="f6 color-fg-muted mb-0">
          {tag ? <span class="color-fg-default">{subjectOf(tag.message)} · </span> : null}
          {commit ? (
            <span>
              <Ago time={tag?.tagger?.time ?? commit.committer.time} /> ·{' '}
              <a class="text-mono Link--secondary" href={`${repositoryPath}/commit/${commit.oid}`}>
                {commit.oid.slice(0, 10)}
              </a>{' '}
              {tag ? null : subjectOf(commit.message)}
            </span>
          ) : (
            t('tags.unreadable')
          )}
        </p>
        {body ? (
          <details class="f6">
            <summary class="Link--secondary">{t('tags.wholeMessage')}</summary>
            <pre class="mb-0 code-wrap">{body}</pre>
          </details>
        ) : null}
      </div>
      {commit && hasArchives ? (
        <div class="BtnGroup">
          <a class="btn btn-sm BtnGroup-item" rel="nofollow" href={`${repositoryPath}/archive/${name}.zip`}>
            <code>ZIP</code>
          </a>
          <a class="btn btn-sm BtnGroup-item" rel="nofollow" href={`${repositoryPath}/archive/${name}.tar.gz`}>
            <code>TAR.GZ</code>
          </a>
        </div>
      ) : null}
      {mayWrite ? (
        <DeleteRef
          action={`${repositoryPath}/tags/delete`}
          name={ref.name}
          confirm={t('tags.deleteConfirm', { name: ref.name })}
        />
      ) : null}
    </li>
  );
}
