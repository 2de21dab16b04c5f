import type { ComponentChildren, VNode } from 'preact';
import { Blankslate, Ago, bold, Csrf, formatSize, icon, Pager, PostButton, Section } from '@mortise/plugin-sdk';
import type { LfsLock } from '../contract/lfs.js';
import type { ObjectRow } from '../models/object.js';
import type { PointerFile } from '../services/pointer-scan.js';
import { t } from '../texts/index.js';

/** Where the pages lie, for instance `/alice/tool/settings/lfs`, with the site's path. */
export interface LfsPageContext {
  readonly base: string;
  /** `/alice/tool` */
  readonly repository: string;
}

const tabs = [
  ['', 'tab.objects'],
  ['/pointers', 'tab.pointers'],
  ['/locks', 'tab.locks'],
] as const;

function Frame({
  pageContext,
  active,
  children,
}: {
  pageContext: LfsPageContext;
  active: string;
  children: ComponentChildren;
}): VNode {
  return (
    <Section title={t('lfs.title')}>
      <nav class="UnderlineNav mb-3" aria-label={t('lfs.title')}>
        <ul class="UnderlineNav-body list-style-none">
          {tabs.map(([path, label]) => (
            <li key={path} class="d-inline-flex">
              <a
                class="UnderlineNav-item"
                href={pageContext.base + path}
                aria-current={path === active ? 'page' : undefined}
              >
                {t(label)}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      {children}
    </Section>
  );
}

function Search({ action, text, label, help }: { action: string; text: string; label: string; help: string }): VNode {
  return (
    <form method="get" action={action} class="mb-3" role="search">
      <label class="d-block text-bold mb-1" for="lfs-search">
        {label}
      </label>
      <div class="d-flex gap-2">
        <input class="form-control flex-auto min-width-0" id="lfs-search" name="q" value={text} maxLength={200} />
        <button class="btn" type="submit">
          {t('lfs.search')}
        </button>
      </div>
      <p class="note">{help}</p>
    </form>
  );
}

interface ObjectsProps {
  readonly pageContext: LfsPageContext;
  readonly items: readonly ObjectRow[];
  readonly total: number;
  readonly bytes: number;
  readonly text: string;
  readonly page: number;
  readonly last: number;
}

export function Objects({ pageContext, items, total, bytes, text, page, last }: ObjectsProps): VNode {
  return (
    <Frame pageContext={pageContext} active="">
      <p class="color-fg-muted">{t('objects.note', { size: formatSize(bytes) })}</p>
      <Search action={pageContext.base} text={text} label={t('objects.search')} help={t('objects.searchNote')} />
      <ul class="Box list-style-none mb-3" aria-label={t('objects.label', { count: total })}>
        {items.length === 0 ? (
          <li>
            <Blankslate title={t(text ? 'objects.noMatch' : 'objects.none')} icon="database" level={3} plain />
          </li>
        ) : null}
        {items.map(({ oid, size, created_at }) => (
          <li key={oid} class="Box-row d-flex flex-wrap flex-items-center gap-2">
            {icon('database')}
            <div class="flex-auto min-width-0">
              <a class="text-mono f6 wb-break-all" href={`${pageContext.base}/objects/${oid}`} download={oid}>
                {oid}
              </a>
              <span class="d-block f6 color-fg-muted">
                {formatSize(Number(size))} · {t.rich('objects.added', { when: <Ago time={Number(created_at)} /> })} ·{' '}
                <a href={`${pageContext.base}/pointers?q=${oid}`}>{t('objects.findFiles')}</a>
              </span>
            </div>
            <details>
              <summary class="btn btn-sm" aria-label={t('objects.deleteOf', { oid: oid.slice(0, 12) })}>
                {t('objects.delete')}
              </summary>
              <p class="note mt-2">{t('objects.deleteNote')}</p>
              <PostButton action={pageContext.base} fields={{ remove: oid }} danger>
                {t('objects.deleteSubmit')}
              </PostButton>
            </details>
          </li>
        ))}
      </ul>
      <Pager
        page={page}
        last={last}
        href={(to) => `${pageContext.base}?${new URLSearchParams({ ...(text ? { q: text } : {}), page: String(to) })}`}
      />
    </Frame>
  );
}

interface PointersProps {
  readonly pageContext: LfsPageContext;
  readonly branch: string;
  readonly text: string;
  readonly found: readonly (PointerFile & { readonly state: 'there' | 'missing' | 'size' })[];
  /** There are more than these. */
  readonly more: boolean;
}

export function Pointers({ pageContext, branch, text, found, more }: PointersProps): VNode {
  const file = (path: string) =>
    `${pageContext.repository}/src/branch/${branch.split('/').map(encodeURIComponent).join('/')}/${path.split('/').map(encodeURIComponent).join('/')}`;
  return (
    <Frame pageContext={pageContext} active="/pointers">
      <p class="color-fg-muted">{t.rich('pointers.note', { branch, b: bold })}</p>
      <Search
        action={`${pageContext.base}/pointers`}
        text={text}
        label={t('pointers.search')}
        help={t('pointers.searchNote')}
      />
      <ul class="Box list-style-none mb-3" aria-label={t('tab.pointers')}>
        {found.length === 0 ? (
          <li>
            <Blankslate title={t('pointers.none')} icon="file" level={3} plain />
          </li>
        ) : null}
        {found.map(({ blob, path, pointer, state }) => (
          <li key={blob + path} class="Box-row">
            <div class="d-flex flex-wrap flex-items-center gap-2">
              <a class="text-bold wb-break-all" href={file(path)}>
                {path}
              </a>
              {state === 'there' ? null : <span class="Label Label--danger">{t(`pointers.${state}`)}</span>}
              <span class="f6 color-fg-muted">{formatSize(pointer.size)}</span>
            </div>
            <code class="d-block f6 wb-break-all">{pointer.oid}</code>
          </li>
        ))}
      </ul>
      {more ? <p class="color-fg-muted">{t('pointers.more')}</p> : null}
    </Frame>
  );
}

interface LocksProps {
  readonly pageContext: LfsPageContext;
  readonly locks: readonly (LfsLock & { readonly ownerName: string })[];
  readonly next?: number;
  readonly path?: string;
}

export function Locks({ pageContext, locks, next, path = '' }: LocksProps): VNode {
  const action = `${pageContext.base}/locks`;
  return (
    <Frame pageContext={pageContext} active="/locks">
      <p class="color-fg-muted">{t('locks.note')}</p>
      <ul class="Box list-style-none mb-3" aria-label={t('tab.locks')}>
        {locks.length === 0 ? (
          <li>
            <Blankslate title={t('locks.none')} icon="lock" level={3} plain />
          </li>
        ) : null}
        {locks.map((lock) => (
          <li key={lock.id} class="Box-row d-flex flex-wrap flex-items-center gap-2">
            {icon('lock')}
            <div class="flex-auto min-width-0">
              <span class="text-bold wb-break-all">{lock.path}</span>
              <span class="d-block f6 color-fg-muted">
                {t.rich('locks.by', { name: lock.ownerName, when: <Ago time={lock.lockedAt} /> })}
              </span>
            </div>
            <PostButton
              action={action}
              fields={{ remove: lock.id }}
              label={t('locks.unlockOf', { path: lock.path })}
              danger
            >
              {t('locks.unlock')}
            </PostButton>
          </li>
        ))}
      </ul>
      {next === undefined ? null : (
        <p>
          <a href={`${action}?after=${next}`}>{t('locks.more')}</a>
        </p>
      )}
      <form method="post" action={action}>
        <Csrf />
        <label class="d-block text-bold mb-1" for="lfs-path">
          {t('locks.path')}
        </label>
        <div class="d-flex gap-2">
          <input
            class="form-control flex-auto min-width-0"
            id="lfs-path"
            name="path"
            value={path}
            required
            maxLength={4096}
            placeholder={t('locks.example')}
          />
          <button class="btn" type="submit">
            {t('locks.submit')}
          </button>
        </div>
      </form>
    </Frame>
  );
}
