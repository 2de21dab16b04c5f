import { icon, NotFound, SearchBox, webPage, type RouteContext, type Site, type WebPage } from '@mortise/plugin-sdk';
import type { ComponentChildren } from 'preact';
import { t } from '../texts/index.js';
import { OperationDetails, Properties } from './operation-view.js';
import { RequestExamples } from './try-it.js';
import type { OpenApiDocument, Operation, Schema } from './shapes.js';

interface Entry {
  readonly method: string;
  /** Below the address that the page names on top; of protocols the whole address. */
  readonly path: string;
  /** Below the address of the site. */
  readonly address: string;
  readonly operation: Operation;
}

/** What a page of the viewer shows: one operation, one model, or the list of those in which all words of `q` are. */
export interface ViewerQuery {
  readonly operation?: string;
  readonly model?: string;
  readonly q?: string;
}

/** Who looks at it. Only pages with a form ask for the token, because that may set a cookie. */
export type Visitor = Pick<RouteContext, 'actor'>;

const methodLabels: Readonly<Record<string, string>> = {
  get: 'Label--accent',
  post: 'Label--success',
  put: 'Label--attention',
  patch: 'Label--attention',
  delete: 'Label--danger',
};

const address = '/api/swagger';
const linkTo = (query: ViewerQuery): string => `?${new URLSearchParams({ ...query })}`;

/**
 * Shows the OpenAPI document as HTML that needs no scripts (DOC-03, DOC-04): a list of all operations and models that can
 * be searched, and a page for each of them. All in one page would be sixty thousand elements.
 */
export class ApiViewer {
  readonly #groups: readonly [string, Entry[]][];
  readonly #models: ReadonlyMap<string, Schema>;
  readonly #hasProtocols: boolean;

  constructor(
    private readonly document: OpenApiDocument,
    protocols: OpenApiDocument,
    private readonly site: Site,
  ) {
    const groups = grouped(entriesOf(document, (path) => ({ path, address: `/api/v1${path}` })));
    // after what programs ask for, the protocols of other clients
    for (const [name, entries] of grouped(entriesOf(protocols, (path) => ({ path: site.url(path), address: path }))))
      groups.set(name, [...(groups.get(name) ?? []), ...entries]);
    this.#groups = [...groups];
    this.#hasProtocols = Object.keys(protocols.paths).length > 0;
    const models = Object.entries({ ...protocols.components?.schemas, ...document.components?.schemas });
    this.#models = new Map(models.sort(([a], [b]) => a.localeCompare(b)));
  }

  /** @throws NotFound: no operation or model has that name. */
  page({ operation, model, q = '' }: ViewerQuery, visitor: Visitor): WebPage {
    if (operation !== undefined) return this.#operationPage(operation, visitor);
    if (model !== undefined) return this.#modelPage(model);
    return this.#listPage(q);
  }

  #listPage(q: string): WebPage {
    const words = q.toLowerCase().split(/\s+/).filter(Boolean).slice(0, 10);
    const matches = (...texts: (string | undefined)[]): boolean => {
      const text = texts.join(' ').toLowerCase();
      return words.every((word) => text.includes(word));
    };
    const groups = this.#groups
      .map(
        ([name, entries]) =>
          [
            name,
            entries.filter(({ method, path, operation }) =>
              matches(name, method, path, operation.operationId, operation.summary),
            ),
          ] as const,
      )
      .filter(([, entries]) => entries.length > 0);
    const models = [...this.#models.keys()].filter((name) => matches(name));
    return this.#frame(undefined, () => (
      <>
        <p class="color-fg-muted">
          {t.rich('api.base', { address: <code>{this.site.url('/api/v1')}</code> })}{' '}
          {t.rich('api.token', { header: <code>Authorization: token …</code> })}
        </p>
        <SearchBox action={this.site.path(address)} value={q} label={t('api.search')} />
        <nav class="api-viewer-groups" aria-label={t('api.groups')}>
          {groups.map(([name, entries]) => (
            <a href={`#tag-${name}`} key={name}>
              {name} <span class="Counter">{entries.length}</span>
            </a>
          ))}
          {models.length > 0 ? <a href="#models">{t('api.models')}</a> : null}
        </nav>
        {groups.length + models.length === 0 ? <p class="color-fg-muted">{t('api.nothingFound')}</p> : null}
        {groups.map(([name, entries]) => (
          <section key={name} id={`tag-${name}`} aria-label={name}>
            <h2>{name}</h2>
            <ul class="api-operations">
              {entries.map((entry) => (
                <li key={entry.method + entry.path}>
                  <OperationLine {...entry} isLink />
                </li>
              ))}
            </ul>
          </section>
        ))}
        {models.length > 0 ? (
          <section id="models" aria-label={t('api.models')}>
            <h2>{t('api.models')}</h2>
            <ul class="api-models">
              {models.map((name) => (
                <li key={name}>
                  <a href={linkTo({ model: name })}>{name}</a>
                </li>
              ))}
            </ul>
          </section>
        ) : null}
      </>
    ));
  }

  #operationPage(id: string, visitor: Visitor): WebPage {
    const all = this.#groups.flatMap(([group, entries]) => entries.map((entry) => ({ ...entry, group })));
    const route = all.find(({ operation }) => operation.operationId === id);
    if (!route) throw NotFound(`There is no operation ${id}.`, { text: t.later('error.notFound') });
    const isSignedIn = visitor.actor.kind !== 'anonymous';
    return this.#frame(
      id,
      () => (
        <>
          <nav aria-label={t('api.groups')}>
            <a href={`${this.site.path(address)}#tag-${route.group}`}>{route.group}</a>
          </nav>
          <h2 class="api-operation-title">
            <OperationLine {...route} />
          </h2>
          <OperationDetails operation={route.operation} models={this.#models} />
          <RequestExamples {...route} models={this.#models} site={this.site} isSignedIn={isSignedIn} />
        </>
      ),
      ['api-request'],
    );
  }

  #modelPage(name: string): WebPage {
    const schema = this.#models.get(name);
    if (!schema) throw NotFound(`There is no model ${name}.`, { text: t.later('error.notFound') });
    return this.#frame(name, () => (
      <>
        <nav aria-label={t('api.groups')}>
          <a href={`${this.site.path(address)}#models`}>{t('api.models')}</a>
        </nav>
        <h2>
          <code>{name}</code>
        </h2>
        <Properties schema={schema} />
      </>
    ));
  }

  #frame(title: string | undefined, body: () => ComponentChildren, islands: readonly string[] = []): WebPage {
    const { info } = this.document;
    return webPage(() => ({
      title: title === undefined ? info.title : `${title} · ${info.title}`,
      active: 'api',
      islands,
      body: (
        <div class="api-viewer">
          <div class="api-viewer-head">
            <h1>
              {title === undefined ? info.title : <a href={this.site.path(address)}>{info.title}</a>}{' '}
              <small class="color-fg-muted">{info.version}</small>
            </h1>
            <DocumentLinks site={this.site} hasProtocols={this.#hasProtocols} />
          </div>
          {body()}
        </div>
      ),
    }));
  }
}

const DocumentLinks = ({ site, hasProtocols }: { readonly site: Site; readonly hasProtocols: boolean }) => (
  <div class="BtnGroup">
    <a class="btn BtnGroup-item" href={site.path('/openapi3.v1.json')}>
      {icon('file-code')} {t('api.openapi')}
    </a>
    <a class="btn BtnGroup-item" href={site.path('/swagger.v1.json')}>
      {icon('file-code')} {t('api.swagger')}
    </a>
    {hasProtocols ? (
      <a class="btn BtnGroup-item" href={site.path('/protocols.v1.json')}>
        {icon('file-code')} {t('api.protocols')}
      </a>
    ) : null}
    <a class="btn BtnGroup-item" href={site.path('/')}>
      {icon('home')} {t('api.back')}
    </a>
  </div>
);

function OperationLine({ method, path, operation, isLink }: Entry & { readonly isLink?: boolean }) {
  const code = <code class={operation.deprecated ? 'api-deprecated' : ''}>{path}</code>;
  const id = operation.operationId;
  return (
    <>
      <span class={`Label ${methodLabels[method]} api-method`}>{method.toUpperCase()}</span>{' '}
      {isLink && id ? <a href={linkTo({ operation: id })}>{code}</a> : code}{' '}
      <span class="color-fg-muted">{operation.summary}</span>
      {operation.deprecated ? <span class="Label Label--secondary ml-1">{t('api.deprecated')}</span> : null}
    </>
  );
}

function entriesOf(document: OpenApiDocument, at: (path: string) => Pick<Entry, 'path' | 'address'>): Entry[] {
  return Object.entries(document.paths).flatMap(([path, ways]) =>
    Object.entries(ways)
      .filter(([method]) => method in methodLabels)
      .map(([method, operation]) => ({ method, operation, ...at(path) })),
  );
}

/** By their tags, in the order of the alphabet. */
function grouped(entries: readonly Entry[]): Map<string, Entry[]> {
  const groups = new Map<string, Entry[]>();
  for (const entry of entries) {
    const name = entry.operation.tags?.[0] ?? 'other';
    groups.set(name, [...(groups.get(name) ?? []), entry]);
  }
  return new Map([...groups].sort(([a], [b]) => a.localeCompare(b)));
}
