import type { ComponentChildren, VNode } from 'preact';
import { Ago, Csrf, icon, Pager, PostButton, Section } from '@mortise/plugin-sdk';
import type { LfsLock } from '../api.js';
import type { ObjectRow } from '../models/rows.js';
import type { PointerFile } from '../services/scan.js';

/** Where the pages lie, for instance `/alice/tool/settings/lfs`, with the site's path. */
export interface LfsPlace {
  readonly base: string;
  /** `/alice/tool` */
  readonly repository: string;
  readonly csrf: string;
}

const scales = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
/** `1.5 MiB` */
export function bytesText(bytes: number): string {
  let scale = 0;
  let amount = bytes;
  for (; amount >= 1024 && scale < scales.length - 1; scale++) amount /= 1024;
  return `${scale === 0 ? amount : amount.toFixed(1)} ${scales[scale]}`;
}

const tabs = [
  ['', 'Objects'],
  ['/pointers', 'Pointer files'],
  ['/locks', 'Locks'],
] as const;

export function Frame({
  place,
  active,
  children,
}: {
  place: LfsPlace;
  active: string;
  children: ComponentChildren;
}): VNode {
  return (
    <Section title="Git LFS">
      <nav class="UnderlineNav mb-3" aria-label="Git LFS">
        <ul class="UnderlineNav-body list-style-none">
          {tabs.map(([path, label]) => (
            <li key={path} class="d-inline-flex">
              <a class="UnderlineNav-item" href={place.base + path} aria-current={path === active ? 'page' : undefined}>
                {label}
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
      <div class="d-flex" style="gap: 8px">
        <input
          class="form-control flex-auto"
          style="min-width: 0"
          id="lfs-search"
          name="q"
          value={text}
          maxLength={200}
        />
        <button class="btn" type="submit">
          Search
        </button>
      </div>
      <p class="note">{help}</p>
    </form>
  );
}

export interface ObjectsProps {
  readonly place: LfsPlace;
  readonly items: readonly ObjectRow[];
  readonly total: number;
  readonly bytes: number;
  readonly text: string;
  readonly page: number;
  readonly last: number;
}

export function Objects({ place, items, total, bytes, text, page, last }: ObjectsProps): VNode {
  return (
    <Frame place={place} active="">
      <p class="color-fg-muted">
        Large files that this repository keeps outside of its history: {bytesText(bytes)} in all.
      </p>
      <Search action={place.base} text={text} label="Find an object" help="The beginning of its SHA-256." />
      <ul class="Box list-style-none mb-3" aria-label={`${total} objects`}>
        {items.length === 0 ? <li class="Box-row color-fg-muted">None {text ? 'found' : 'yet'}.</li> : null}
        {items.map(({ oid, size, created_at }) => (
          <li key={oid} class="Box-row d-flex flex-wrap flex-items-center" style="gap: 12px">
            {icon('database')}
            <div class="flex-auto" style="min-width: 0">
              <a class="text-mono f6 wb-break-all" href={`${place.base}/objects/${oid}`} download={oid}>
                {oid}
              </a>
              <span class="d-block f6 color-fg-muted">
                {bytesText(Number(size))} · added <Ago time={Number(created_at)} /> ·{' '}
                <a href={`${place.base}/pointers?q=${oid}`}>find files</a>
              </span>
            </div>
            <details>
              <summary class="btn btn-sm" aria-label={`Delete ${oid.slice(0, 12)}`}>
                Delete…
              </summary>
              <p class="note mt-2">Pointer files that name it will lead nowhere.</p>
              <PostButton action={place.base} csrf={place.csrf} fields={{ remove: oid }} danger>
                Delete object
              </PostButton>
            </details>
          </li>
        ))}
      </ul>
      <Pager
        page={page}
        last={last}
        href={(to) => `${place.base}?${new URLSearchParams({ ...(text ? { q: text } : {}), page: String(to) })}`}
      />
    </Frame>
  );
}

export interface PointersProps {
  readonly place: LfsPlace;
  readonly branch: string;
  readonly text: string;
  readonly found: readonly (PointerFile & { readonly state: 'there' | 'missing' | 'another size' })[];
  /** There are more than these. */
  readonly more: boolean;
}

export function Pointers({ place, branch, text, found, more }: PointersProps): VNode {
  const file = (path: string) =>
    `${place.repository}/src/branch/${branch.split('/').map(encodeURIComponent).join('/')}/${path.split('/').map(encodeURIComponent).join('/')}`;
  return (
    <Frame place={place} active="/pointers">
      <p class="color-fg-muted">
        Files on <strong>{branch}</strong> that stand for an object.
      </p>
      <Search
        action={`${place.base}/pointers`}
        text={text}
        label="Find files"
        help="Part of a path, or of a SHA-256."
      />
      <ul class="Box list-style-none mb-3" aria-label="Pointer files">
        {found.length === 0 ? <li class="Box-row color-fg-muted">None found.</li> : null}
        {found.map(({ blob, path, pointer, state }) => (
          <li key={blob + path} class="Box-row">
            <div class="d-flex flex-wrap flex-items-center" style="gap: 8px">
              <a class="text-bold wb-break-all" href={file(path)}>
                {path}
              </a>
              {state === 'there' ? null : <span class="Label Label--danger">{state}</span>}
              <span class="f6 color-fg-muted">{bytesText(pointer.size)}</span>
            </div>
            <code class="d-block f6 wb-break-all">{pointer.oid}</code>
          </li>
        ))}
      </ul>
      {more ? <p class="color-fg-muted">There are more: search for some of them.</p> : null}
    </Frame>
  );
}

export interface LocksProps {
  readonly place: LfsPlace;
  readonly locks: readonly (LfsLock & { readonly ownerName: string })[];
  readonly next?: number;
  readonly path?: string;
}

export function Locks({ place, locks, next, path = '' }: LocksProps): VNode {
  const action = `${place.base}/locks`;
  return (
    <Frame place={place} active="/locks">
      <p class="color-fg-muted">Who locks a file tells others not to change it: their git-lfs refuses to push it.</p>
      <ul class="Box list-style-none mb-3" aria-label="Locks">
        {locks.length === 0 ? <li class="Box-row color-fg-muted">None.</li> : null}
        {locks.map((lock) => (
          <li key={lock.id} class="Box-row d-flex flex-wrap flex-items-center" style="gap: 12px">
            {icon('lock')}
            <div class="flex-auto" style="min-width: 0">
              <span class="text-bold wb-break-all">{lock.path}</span>
              <span class="d-block f6 color-fg-muted">
                {lock.ownerName}, <Ago time={lock.lockedAt} />
              </span>
            </div>
            <PostButton
              action={action}
              csrf={place.csrf}
              fields={{ remove: lock.id }}
              label={`Unlock ${lock.path}`}
              danger
            >
              Unlock
            </PostButton>
          </li>
        ))}
      </ul>
      {next === undefined ? null : (
        <p>
          <a href={`${action}?after=${next}`}>More locks</a>
        </p>
      )}
      <form method="post" action={action}>
        <Csrf token={place.csrf} />
        <label class="d-block text-bold mb-1" for="lfs-path">
          Lock a file
        </label>
        <div class="d-flex" style="gap: 8px">
          <input
            class="form-control flex-auto"
            style="min-width: 0"
            id="lfs-path"
            name="path"
            value={path}
            required
            maxLength={4096}
            placeholder="art/logo.psd"
          />
          <button class="btn" type="submit">
            Lock
          </button>
        </div>
      </form>
    </Frame>
  );
}
