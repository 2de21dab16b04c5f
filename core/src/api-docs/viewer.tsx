import { icon, webPage, type Site, type WebPage } from '@mortise/plugin-sdk';
import { t } from '../texts/index.js';
import type { OpenApiDocument, Operation, Schema } from './shapes.js';

interface Entry {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

const methodLabels: Readonly<Record<string, string>> = {
  get: 'Label--accent',
  post: 'Label--success',
  put: 'Label--attention',
  patch: 'Label--attention',
  delete: 'Label--danger',
};

/** Renders the OpenAPI document as plain HTML: nothing to load, and it works without scripts (DOC-03, DOC-04). */
export function viewerPage(document: OpenApiDocument, protocols: OpenApiDocument, site: Site): WebPage {
  // operations of protocols are not below the address that the page names on top
  const groups = grouped([
    ['', document],
    [site.rootUrl.replace(/\/$/, ''), protocols],
  ]);
  const hasProtocols = Object.keys(protocols.paths).length > 0;
  const models = Object.entries({ ...protocols.components?.schemas, ...document.components?.schemas });
  return webPage(() => ({
    title: document.info.title,
    active: 'api',
    body: (
      <div class="api-viewer">
        <div class="api-viewer-head">
          <h1>
            {document.info.title} <small class="color-fg-muted">{document.info.version}</small>
          </h1>
          <p class="color-fg-muted">{t.rich('api.base', { address: <code>{site.url('/api/v1')}</code> })}</p>
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
        </div>
        <nav class="api-viewer-groups" aria-label={t('api.groups')}>
          {groups.map(([name, entries]) => (
            <a href={`#tag-${name}`} key={name}>
              {name} <span class="Counter">{entries.length}</span>
            </a>
          ))}
          <a href="#models">{t('api.models')}</a>
        </nav>
        {groups.map(([name, entries]) => (
          <section key={name} id={`tag-${name}`} aria-label={name}>
            <h2>{name}</h2>
            {entries.map((entry) => (
              <OperationView key={entry.method + entry.path} {...entry} />
            ))}
          </section>
        ))}
        <section id="models" aria-label={t('api.models')}>
          <h2>{t('api.models')}</h2>
          {models
            .sort(([a], [b]) => a.localeCompare(b))
            .map(([name, schema]) => (
              <details key={name} class="api-operation" id={`model-${name}`}>
                <summary>
                  <code>{name}</code>
                </summary>
                <Properties schema={schema} />
              </details>
            ))}
        </section>
      </div>
    ),
  }));
}

function grouped(documents: readonly (readonly [base: string, OpenApiDocument])[]): [string, Entry[]][] {
  const groups = new Map<string, Entry[]>();
  for (const [base, { paths }] of documents) {
    for (const [path, ways] of Object.entries(paths)) {
      for (const [method, operation] of Object.entries(ways)) {
        if (!(method in methodLabels)) continue;
        const name = operation.tags?.[0] ?? 'other';
        const list = groups.get(name) ?? [];
        list.push({ method, path: base + path, operation });
        groups.set(name, list);
      }
    }
  }
  return [...groups].sort(([a], [b]) => a.localeCompare(b));
}

const Example = ({ of: example }: { of: unknown }) =>
  example === undefined ? null : (
    <pre class="f6 mb-0" tabIndex={0} role="group" aria-label={t('api.example')}>
      {JSON.stringify(example, null, 2)}
    </pre>
  );

function OperationView({ method, path, operation }: Entry) {
  const parameters = operation.parameters ?? [];
  const body = Object.entries(operation.requestBody?.content ?? {});
  return (
    <details class="api-operation" id={operation.operationId}>
      <summary>
        <span class={`Label ${methodLabels[method]} api-method`}>{method.toUpperCase()}</span>{' '}
        <code class={operation.deprecated ? 'api-deprecated' : ''}>{path}</code>{' '}
        <span class="color-fg-muted">{operation.summary}</span>
        {operation.deprecated ? <span class="Label Label--secondary ml-1">{t('api.deprecated')}</span> : null}
      </summary>
      {operation.operationId ? (
        <p class="color-fg-muted f6">{t.rich('api.operation', { id: <code>{operation.operationId}</code> })}</p>
      ) : null}
      {parameters.length > 0 ? (
        <table class="api-table">
          <caption>{t('api.parameters')}</caption>
          <tbody>
            {parameters.map((one) => (
              <tr key={one.in + one.name}>
                <th scope="row">
                  <code>{one.name}</code>
                  {one.required ? (
                    <span class="color-fg-danger" title={t('api.required')}>
                      *
                    </span>
                  ) : null}
                </th>
                <td>{one.in}</td>
                <td>
                  <TypeOf schema={one.schema ?? one} />
                </td>
                <td>{one.description}</td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : null}
      {body.length > 0 ? (
        <>
          <h3 class="f5">{t('api.body')}</h3>
          {body.slice(0, 1).map(([type, { schema, example }]) => (
            <div key={type}>
              <span class="color-fg-muted">{type}</span> {schema ? <Properties schema={schema} /> : null}
              <Example of={example} />
            </div>
          ))}
        </>
      ) : null}
      <table class="api-table">
        <caption>{t('api.responses')}</caption>
        <tbody>
          {Object.entries(operation.responses).map(([status, answer]) => (
            <tr key={status}>
              <th scope="row">{status}</th>
              <td>{answer.description}</td>
              <td>
                {Object.values(answer.content ?? {})
                  .slice(0, 1)
                  .map(({ schema, example }) => (
                    <>
                      {schema ? <TypeOf schema={schema} /> : null}
                      <Example of={example} />
                    </>
                  ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

function TypeOf({
  schema,
}: {
  schema: {
    readonly $ref?: string;
    readonly type?: string;
    readonly format?: string;
    readonly items?: Schema;
    readonly allOf?: readonly Schema[];
    readonly enum?: readonly unknown[];
  };
}) {
  if (schema.$ref) {
    const name = schema.$ref.split('/').pop()!;
    return <a href={`#model-${name}`}>{name}</a>;
  }
  if (schema.allOf) {
    // a reference that may be null
    return <>{t.rich('api.orNull', { type: <TypeOf schema={schema.allOf[0] ?? {}} /> })}</>;
  }
  if (schema.type === 'array')
    return <>{t.rich('api.listOf', { type: schema.items ? <TypeOf schema={schema.items} /> : t('api.any') })}</>;
  if (schema.enum) return <>{schema.enum.map(String).join(' | ')}</>;
  return (
    <>
      {schema.type ?? t('api.any')}
      {schema.format ? ` (${schema.format})` : ''}
    </>
  );
}

function Properties({ schema }: { schema: Schema }) {
  const properties = Object.entries(schema.properties ?? {});
  if (properties.length === 0)
    return (
      <p>
        <TypeOf schema={schema} />
      </p>
    );
  return (
    <table class="api-table">
      <tbody>
        {properties.map(([name, one]) => (
          <tr key={name}>
            <th scope="row">
              <code>{name}</code>
              {schema.required?.includes(name) ? (
                <span class="color-fg-danger" title={t('api.required')}>
                  *
                </span>
              ) : null}
            </th>
            <td>
              <TypeOf schema={one} />
            </td>
            <td>{one.description}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
