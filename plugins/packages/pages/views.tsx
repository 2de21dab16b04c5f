import type { ComponentChildren, VNode } from 'preact';
import {
  Ago,
  Blankslate,
  formatSize,
  icon,
  lastPage,
  Pager,
  PostButton,
  SearchBox,
  Section,
} from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import { MarkupBody, type SafeHtml } from '@mortise/markup/api';
import type { Package, PackageFormat, PackageView, PackageVersion } from '../api.js';
import { t } from '../texts/index.js';

interface Entry {
  readonly package: Package;
  readonly version: PackageVersion;
  readonly owner: Account;
  readonly href: string;
}

interface ListProps {
  readonly entries: readonly Entry[];
  readonly total: number;
  readonly page: number;
  readonly limit: number;
  readonly query: { readonly type?: string; readonly q?: string };
  readonly formats: readonly PackageFormat[];
  readonly action: string;
}

/** Newest version of each package, with filters by format and name. */
export function PackageList({ entries, total, page, limit, query, formats, action }: ListProps): VNode {
  const link = (to: number) =>
    `${action}?${new URLSearchParams({ ...(query.type ? { type: query.type } : {}), ...(query.q ? { q: query.q } : {}), page: String(to) }).toString()}`;
  return (
    <>
      <SearchBox action={action} value={query.q ?? ''} label={t('list.search')}>
        <select class="form-select" name="type" aria-label={t('list.format')}>
          <option value="">{t('list.allFormats')}</option>
          {formats.map((format) => (
            <option key={format.key} value={format.key} selected={format.key === query.type}>
              {format.label}
            </option>
          ))}
        </select>
      </SearchBox>
      {entries.length === 0 ? (
        <Blankslate title={t('list.none')} icon="package" />
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
              <span class="Label mr-3">
                {formats.find((format) => format.key === entry.package.type)?.label ?? entry.package.type}
              </span>
              <span class="mr-3 text-mono">{entry.version.version}</span>
              <span class="color-fg-muted text-small">
                <Ago time={entry.version.createdAt} />
              </span>
            </li>
          ))}
        </ul>
      )}
      <Pager page={page} last={lastPage(total, limit)} href={link} />
    </>
  );
}

interface VersionPageProps {
  readonly view: PackageView;
  readonly base: string;
  readonly versionHref: (version: PackageVersion) => string;
  /** The list of all versions. */
  readonly versionsHref: string;
  /** For those who may change the package. */
  readonly settingsHref?: string;
  readonly repository?: { readonly href: string; readonly name: string };
  readonly instructions?: VNode | null;
  readonly about?: VNode | null;
  readonly readme?: { readonly html: SafeHtml | undefined; readonly text: string };
  /** Version by tag. */
  readonly tags: Readonly<Record<string, string>>;
  readonly canWrite: boolean;
}

/** Versions on the page of one. */
const maxShown = 20;

const Part = ({ title, children }: { title: string; children: ComponentChildren }): VNode => (
  <section class="mb-4">
    <h2 class="h4 mb-2">{title}</h2>
    {children}
  </section>
);

/** One version: how to install it, what it is, its files and the other versions. */
const AboutVersion = ({ view, repository }: Pick<VersionPageProps, 'view' | 'repository'>): VNode => (
  <Part title={t('version.about')}>
    <ul class="list-style-none">
      <li>
        {icon('package')} {view.package.type}
      </li>
      <li>
        {icon('calendar')} <Ago time={view.version.createdAt} />
      </li>
      <li>
        {icon('download')} {t('version.downloads', { count: view.version.downloadCount })}
      </li>
      {repository ? (
        <li>
          {icon('repo')} <a href={repository.href}>{repository.name}</a>
        </li>
      ) : null}
    </ul>
  </Part>
);

function TagList({ view, tags, versionHref }: Pick<VersionPageProps, 'view' | 'tags' | 'versionHref'>): VNode | null {
  const sorted = Object.entries(tags).sort(([a], [b]) => (a < b ? -1 : 1));
  if (sorted.length === 0) return null;
  return (
    <Part title={t('version.tags')}>
      <ul class="list-style-none">
        {sorted.map(([tag, of]) => {
          const named = view.versions.find((one) => one.version === of);
          return (
            <li key={tag} class="mb-1">
              <span class="Label mr-1">{tag}</span> {named ? <a href={versionHref(named)}>{of}</a> : of}
            </li>
          );
        })}
      </ul>
    </Part>
  );
}

const FileList = ({ view: { files }, base }: Pick<VersionPageProps, 'view' | 'base'>): VNode => (
  <Part title={t('version.files', { count: files.length })}>
    <ul class="list-style-none">
      {files.map((file) => (
        <li key={file.id}>
          <a href={`${base}/files/${file.id}`} title={t('version.hash', { hash: file.sha256 })}>
            {file.name}
          </a>{' '}
          <span class="color-fg-muted text-small">{formatSize(file.size)}</span>
        </li>
      ))}
    </ul>
  </Part>
);

const VersionList = ({
  view: { version, versions },
  versionHref,
  versionsHref,
}: Pick<VersionPageProps, 'view' | 'versionHref' | 'versionsHref'>): VNode => (
  <Part title={t('version.versions', { count: versions.length })}>
    <ul class="list-style-none">
      {versions.slice(0, maxShown).map((one) => (
        <li key={one.id}>
          <a class="text-underline" href={versionHref(one)} aria-current={one.id === version.id ? 'page' : undefined}>
            {one.version}
          </a>{' '}
          <span class="color-fg-muted text-small">
            <Ago time={one.createdAt} />
          </span>
        </li>
      ))}
    </ul>
    {versions.length > maxShown ? (
      <a class="text-underline" href={versionsHref}>
        {t('version.all')}
      </a>
    ) : null}
  </Part>
);

function VersionView(props: VersionPageProps): VNode {
  const { view, base } = props;
  const { version } = view;
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
          {props.instructions ? <Part title={t('version.install')}>{props.instructions}</Part> : null}
          {props.about ?? null}
          {props.readme ? (
            <Part title={t('version.readme')}>
              {props.readme.html ? (
                <MarkupBody class="Box p-3 p-md-4" html={props.readme.html} />
              ) : (
                <pre class="Box p-3 ws-pre-wrap">{props.readme.text}</pre>
              )}
            </Part>
          ) : null}
        </div>
        <div class="col-12 col-md-3">
          <AboutVersion {...props} />
          <TagList {...props} />
          <FileList {...props} />
          <VersionList {...props} />
          {props.settingsHref ? (
            <p>
              <a class="btn" href={props.settingsHref}>
                {icon('gear')} {t('settings.title')}
              </a>
            </p>
          ) : null}
          {props.canWrite ? (
            <PostButton
              action={`${base}/delete`}
              class="btn btn-danger"
              confirm={t('version.deleteConfirm', { version: version.version })}
            >
              {t('version.delete')}
            </PostButton>
          ) : null}
        </div>
      </div>
    </Section>
  );
}

/** The packages of an account, with a way back to its profile. */
export const OwnerPackages = ({
  name,
  href,
  rulesHref,
  children,
}: {
  name: string;
  href: string;
  /** For those who set rules. */
  rulesHref?: string;
  children: ComponentChildren;
}): VNode => (
  <div>
    <Section
      level={1}
      actions={
        rulesHref ? (
          <a class="btn btn-sm" href={rulesHref}>
            {t('rules.title')}
          </a>
        ) : null
      }
      title={t.rich('list.heading', {
        name,
        link: (text) => (
          <a class="text-underline" href={href}>
            {text}
          </a>
        ),
      })}
    >
      {children}
    </Section>
  </div>
);

export const AllPackages = ({ href }: { href: string }): VNode => <a href={href}>{t('list.all')}</a>;

export const PackageVersionPage = ({ listHref, ...props }: VersionPageProps & { listHref: string }): VNode => (
  <div>
    <p>
      <a href={listHref}>{t('list.of', { name: props.view.owner.name })}</a>
    </p>
    <VersionView {...props} />
  </div>
);
