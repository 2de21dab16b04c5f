import type { VNode } from 'preact';
import { Ago, defineRoute, icon, Pager, attempt, type Route } from '@mortise/plugin-sdk';
import type { AnnotatedTag, Commit, Ref } from '@mortise/git/api';
import {
  SignatureBadge,
  bodyOf,
  encodePath,
  homeOf,
  pageAccess,
  placeOf,
  subjectOf,
  type CodePageContext,
  type JudgedVerification,
} from '@mortise/history/api';
import { doneFlash, formRoute } from './forms.js';
import { DeleteRef, MakeMenu } from './parts.js';
import type { TagPageServices } from './services.js';

const done = { created: 'The tag was created.', deleted: 'The tag was deleted.' };

interface Row {
  readonly ref: Ref;
  readonly commit: Commit | undefined;
  readonly tag: AnnotatedTag | undefined;
}

/** Tags, the newest first. */
export function tagPages(services: TagPageServices): Route[] {
  const { git: reader, pages, site, tags, verification, facts } = services;

  const rowOf = async (context: CodePageContext, ref: Ref): Promise<Row> => {
    const git = reader.open(context.subject.repository.id);
    const peeled = await attempt(git.peel(ref.oid), undefined);
    const commit = peeled?.type === 'commit' ? await attempt(git.commit(peeled.oid), undefined) : undefined;
    const tag = peeled && peeled.oid !== ref.oid ? await attempt(git.annotatedTag(ref.oid), undefined) : undefined;
    return { ref, commit, tag };
  };

  /** All tags by time; what a tag names never changes under its id. */
  const newestFirst = async (context: CodePageContext, refs: readonly Ref[]): Promise<readonly Ref[]> => {
    if (refs.length > 2_000) return [...refs].reverse();
    const { id } = context.subject.repository;
    const timed = await Promise.all(
      refs.map(async (ref) => {
        const time = await facts.load(
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
    flash: { kind: 'success' | 'error'; text: string } | undefined,
    status = 200,
  ) => {
    const { subject, actor } = context;
    const home = homeOf(site, context);
    const git = reader.open(subject.repository.id);
    const all = await newestFirst(context, await git.tags());
    const { page, limit, offset } = context.page;
    const rows = await Promise.all(all.slice(offset, offset + limit).map((ref) => rowOf(context, ref)));
    const signed = rows.flatMap((row) => (row.tag ? [row.tag] : []));
    const proofs = new Map(
      (await verification.judge(subject.repository, signed)).map((proof, index) => [signed[index]!.oid, proof]),
    );
    const mayWrite = actor.kind === 'user' && subject.may('write', 'code') && !subject.repository.isArchived;
    return pages.page(placeOf(context), 'code', {
      title: 'Tags',
      flash,
      status,
      islands: ['lines', 'shortcuts'],
      body: (
        <div data-find={`${home}/find/branch/${encodePath(subject.repository.defaultBranch)}`}>
          <div class="d-flex flex-wrap flex-items-center mb-3" style="gap: 12px">
            <h2 class="f3 flex-auto">
              Tags <span class="Counter">{all.length}</span>
            </h2>
            {mayWrite ? (
              <NewTag
                home={home}
                csrf={context.csrf}
                from={subject.repository.defaultBranch}
                sent={status < 400 ? undefined : (context.payload as Readonly<Record<string, string>> | undefined)}
              />
            ) : null}
          </div>
          <ul class="Box list-style-none">
            {rows.map((row) => (
              <TagRow row={row} home={home} csrf={context.csrf} mayWrite={mayWrite} proof={proofs.get(row.ref.oid)} />
            ))}
            {rows.length === 0 ? <li class="blankslate">No tags yet.</li> : null}
          </ul>
          <Pager page={page} more={offset + rows.length < all.length} href={(to) => `?page=${to}`} />
        </div>
      ),
    });
  };
  const back = (context: CodePageContext, word: keyof typeof done) => `${homeOf(site, context)}/tags?done=${word}`;

  return [
    defineRoute({
      method: 'GET',
      path: '/{owner}/{repo}/tags',
      surface: 'page',
      access: pageAccess,
      handler: (context) => show(context, doneFlash(context.query, done)),
    }),
    formRoute(
      '/{owner}/{repo}/tags/new',
      async (context, { name = '', target = '', message = '' }) => {
        await tags.create(context.subject.repository, context.actor, {
          name: name.trim(),
          target: target.trim(),
          message,
        });
        return back(context, 'created');
      },
      show,
    ),
    formRoute(
      '/{owner}/{repo}/tags/delete',
      async (context, { name = '' }) => {
        await tags.delete(context.subject.repository, context.actor, name);
        return back(context, 'deleted');
      },
      show,
    ),
  ];
}

function NewTag({
  home,
  csrf,
  from,
  sent,
}: {
  home: string;
  csrf: string;
  from: string;
  /** A refused form of the page. */
  sent: Readonly<Record<string, string>> | undefined;
}): VNode {
  // the form that deletes has a name only
  const again = sent?.target === undefined ? undefined : sent;
  return (
    <MakeMenu label="New tag" action={`${home}/tags/new`} csrf={csrf} most={255} name={again?.name}>
      <label class="d-block mb-2">
        At (branch, tag or commit)
        <input class="form-control input-sm d-block width-full" name="target" value={again?.target ?? from} required />
      </label>
      <label class="d-block mb-2">
        Message (makes an annotated tag)
        <textarea class="form-control input-sm d-block width-full" name="message" rows={3}>
          {`\n${again?.message ?? ''}`}
        </textarea>
      </label>
    </MakeMenu>
  );
}

function TagRow({
  row: { ref, commit, tag },
  home,
  csrf,
  mayWrite,
  proof,
}: {
  row: Row;
  home: string;
  csrf: string;
  mayWrite: boolean;
  proof: JudgedVerification | undefined;
}): VNode {
  const name = encodePath(ref.name);
  const body = tag ? bodyOf(tag.message) : '';
  return (
    <li class="Box-row d-flex flex-wrap flex-items-center" style="gap: 8px 12px">
      <div class="flex-auto" style="min-width: 200px">
        <a class="text-bold wb-break-word" href={commit ? `${home}/src/tag/${name}` : undefined}>
          {icon('tag')} {ref.name}
        </a>{' '}
        <SignatureBadge proof={proof} />
        <p class="f6 color-fg-muted mb-0">
          {tag ? <span class="color-fg-default">{subjectOf(tag.message)} · </span> : null}
          {commit ? (
            <span>
              <Ago time={tag?.tagger?.time ?? commit.committer.time} /> ·{' '}
              <a class="text-mono Link--secondary" href={`${home}/commit/${commit.oid}`}>
                {commit.oid.slice(0, 10)}
              </a>{' '}
              {tag ? null : subjectOf(commit.message)}
            </span>
          ) : (
            'names no commit that can be read'
          )}
        </p>
        {body ? (
          <details class="f6">
            <summary class="Link--secondary">Whole message</summary>
            <pre class="mb-0" style="white-space: pre-wrap">
              {body}
            </pre>
          </details>
        ) : null}
      </div>
      {commit ? (
        <div class="BtnGroup">
          <a class="btn btn-sm BtnGroup-item" rel="nofollow" href={`${home}/archive/${name}.zip`}>
            ZIP
          </a>
          <a class="btn btn-sm BtnGroup-item" rel="nofollow" href={`${home}/archive/${name}.tar.gz`}>
            TAR.GZ
          </a>
        </div>
      ) : null}
      {mayWrite ? (
        <DeleteRef
          action={`${home}/tags/delete`}
          csrf={csrf}
          name={ref.name}
          confirm={`Delete the tag ${ref.name}? It does not come back.`}
        />
      ) : null}
    </li>
  );
}
