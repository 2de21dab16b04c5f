import { t } from '../texts/index.js';
import type { Operation, Schema } from './shapes.js';

const Example = ({ of: example }: { of: unknown }) =>
  example === undefined ? null : (
    <pre class="f6 mb-0" tabIndex={0} role="group" aria-label={t('api.example')}>
      {JSON.stringify(example, null, 2)}
    </pre>
  );

interface OperationDetailsProps {
  readonly operation: Operation;
  /** By name: the fields of the body are shown with the operation. */
  readonly models: ReadonlyMap<string, Schema>;
}

/** Parameters, body and responses of one operation. */
export function OperationDetails({ operation, models }: OperationDetailsProps) {
  const parameters = operation.parameters ?? [];
  const body = Object.entries(operation.requestBody?.content ?? {});
  return (
    <>
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
              <span class="color-fg-muted">{type}</span>{' '}
              {schema ? <BodyFields schema={schema} models={models} /> : null}
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
    </>
  );
}

function BodyFields({ schema, models }: { readonly schema: Schema; readonly models: OperationDetailsProps['models'] }) {
  const model = schema.$ref === undefined ? undefined : models.get(modelName(schema.$ref));
  return (
    <>
      {model ? <TypeOf schema={schema} /> : null}
      <Properties schema={model ?? schema} />
    </>
  );
}

const modelName = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1);

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
    const name = modelName(schema.$ref);
    return <a href={`?${new URLSearchParams({ model: name })}`}>{name}</a>;
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

/** The fields of a model or of a body, or what it is when it has none. */
export function Properties({ schema }: { readonly schema: Schema }) {
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
