import type { ComponentChildren, VNode } from 'preact';
import { icon, PostButton, Section } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import type { Package, PackageFormat, PackageView, PackageVersion } from '../api.js';

export interface Entry {
  readonly package: Package;
  readonly version: PackageVersion;
  readonly owner: Account;
  readonly href: string;
}

export interface ListProps {
  readonly entries: readonly Entry[];
  readonly total: number;
  readonly page: number;
  readonly limit: number;
  readonly query: { readonly type?: string; readonly q?: string };
  readonly formats: readonly PackageFormat[];
  readonly action: string;
}

const day = (time: number) => (
  <time dateTime={new Date(time).toISOString()}>{new Date(time).toISOString().slice(0, 10)}</time>
);

export function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const power = Math.min(4, Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / 1024 ** power).toFixed(1)} ${['', 'KiB', 'MiB', 'GiB', 'TiB'][power]}`;
}

/** Newest version of each package, with filters by format and name. */
export function PackageList({ entries, total, page, limit, query, formats, action }: ListProps): VNode {
  const link = (to: number) =>
    `${action}?${new URLSearchParams({ ...(query.type ? { type: query.type } : {}), ...(query.q ? { q: query.q } : {}), page: String(to) }).toString()}`;
  return (
    <>
      <form class="d-flex flex-wrap mb-3" style="gap: 8px" method="get" action={action} role="search">
        <input
          class="form-control flex-auto"
          type="search"
          name="q"
          value={query.q ?? ''}
          placeholder="Part of a name"
          aria-label="Part of a name"
        />
        <select class="form-select mr-2" name="type" aria-label="Format">
          <option value="">All formats</option>
          {formats.map((format) => (
            <option key={format.key} value={format.key} selected={format.key === query.type}>
              {format.label}
            </option>
          ))}
        </select>
        <button class="btn" type="submit">
          Search
        </button>
      </form>
      {entries.length === 0 ? (
        <div class="blankslate Box">
          {icon('package', { size: 24 })}
          <h2 class="blankslate-heading">There are no packages here</h2>
        </div>
      ) : (
        <ul class="Box list-style-none">
          {entries.map((entry) => (
            <li key={entry.version.id} class="Box-row d-flex flex-items-center">
              <span class="mr-2">
                {icon(formats.find((format) => format.key === entry.package.type)?.icon ?? 'package')}
              </span>
              <a class="text-bold flex-auto" href={entry.href}>
                {entry.package.name}
              </a>
              <span class="Label mr-3">{entry.package.type}</span>
              <span class="mr-3 text-mono">{entry.version.version}</span>
              <span class="color-fg-muted text-small">{day(entry.version.createdAt)}</span>
            </li>
          ))}
        </ul>
      )}
      {total > limit ? (
        <nav class="paginate-container" aria-label="Pages">
          {page > 1 ? (
            <a class="btn mr-2" href={link(page - 1)}>
              Newer
            </a>
          ) : null}
          {page * limit < total ? (
            <a class="btn" href={link(page + 1)}>
              Older
            </a>
          ) : null}
        </nav>
      ) : null}
    </>
  );
}

export interface VersionPageProps {
  readonly view: PackageView;
  readonly base: string;
  readonly versionHref: (version: PackageVersion) => string;
  readonly repository?: { readonly href: string; readonly name: string };
  readonly instructions?: VNode | null;
  readonly about?: VNode | null;
  readonly canWrite: boolean;
  readonly csrf: string;
}

const Part = ({ title, children }: { title: string; children: ComponentChildren }): VNode => (
  <section class="mb-4">
    <h2 class="h4 mb-2">{title}</h2>
    {children}
  </section>
);

/** One version: how to install it, what it is, its files and the other versions. */
export function VersionView(props: VersionPageProps): VNode {
  const { view, base, versionHref, repository } = props;
  const { version, files } = view;
  return (
    <Section
      level={1}
      title={
        <>
          {view.package.name} <span class="color-fg-muted">{version.version}</span>
        </>
      }
    >
      <div class="d-md-flex gutter-lg">
        <div class="col-12 col-md-9">
          {props.instructions ? <Part title="Install">{props.instructions}</Part> : null}
          {props.about ?? null}
        </div>
        <div class="col-12 col-md-3">
          <Part title="About">
            <ul class="list-style-none">
              <li>
                {icon('package')} {view.package.type}
              </li>
              <li>
                {icon('calendar')} {day(version.createdAt)}
              </li>
              <li>
                {icon('download')} {version.downloadCount} downloads
              </li>
              {repository ? (
                <li>
                  {icon('repo')} <a href={repository.href}>{repository.name}</a>
                </li>
              ) : null}
            </ul>
          </Part>
          <Part title={`Files (${files.length})`}>
            <ul class="list-style-none">
              {files.map((file) => (
                <li key={file.id}>
                  <a href={`${base}/files/${file.id}`} title={`SHA-256 ${file.sha256}`}>
                    {file.name}
                  </a>{' '}
                  <span class="color-fg-muted text-small">{sizeText(file.size)}</span>
                </li>
              ))}
            </ul>
          </Part>
          <Part title={`Versions (${view.versions.length})`}>
            <ul class="list-style-none">
              {view.versions.slice(0, 20).map((one) => (
                <li key={one.id}>
                  <a href={versionHref(one)} aria-current={one.id === version.id ? 'page' : undefined}>
                    {one.version}
                  </a>{' '}
                  <span class="color-fg-muted text-small">{day(one.createdAt)}</span>
                </li>
              ))}
            </ul>
          </Part>
          {props.canWrite ? (
            <PostButton
              action={`${base}/delete`}
              csrf={props.csrf}
              class="btn btn-danger"
              confirm={`Delete version ${version.version}? Its files are gone for good.`}
            >
              Delete this version
            </PostButton>
          ) : null}
        </div>
      </div>
    </Section>
  );
}
