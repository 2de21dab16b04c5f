import { CopyButton, csrfToken, IslandTexts, shellQuote, type Site } from '@mortise/plugin-sdk';
import { t } from '../texts/index.js';
import type { Operation, Schema } from './shapes.js';

interface RequestProps {
  /** `get`, `post`, … */
  readonly method: string;
  /** Below that of the site, with `{names}` where parameters stand. */
  readonly address: string;
  readonly operation: Operation;
  readonly models: ReadonlyMap<string, Schema>;
  readonly site: Site;
  readonly isSignedIn: boolean;
}

const json = 'application/json';

/** The operation as a command for a shell, and as a form that sends it from the browser. */
export function RequestExamples(props: RequestProps) {
  const command = curlOf(props);
  return (
    <>
      <h3 class="f5">{t('api.command')}</h3>
      <p class="color-fg-muted f6">{t.rich('api.token', { header: <code>Authorization: token …</code> })}</p>
      <div class="api-command">
        <pre class="f6" tabIndex={0} role="group" aria-label={t('api.command')}>
          {command}
        </pre>
        <CopyButton text={command} label={t('api.copyCommand')} />
      </div>
      {takesOnlyJson(props.operation) ? <TryIt {...props} /> : null}
    </>
  );
}

/** Files and forms are sent by programs. */
const takesOnlyJson = ({ requestBody }: Operation) => !requestBody?.content || json in requestBody.content;

function curlOf({ method, address, operation, models, site }: RequestProps): string {
  const body = bodyOf(operation, models);
  const words = [
    'curl',
    ...(method === 'get' ? [] : ['-X', method.toUpperCase()]),
    '-H',
    shellQuote('Authorization: token YOUR_TOKEN'),
    ...(body ? ['-H', shellQuote(`Content-Type: ${json}`), '-d', shellQuote(body)] : uploadOf(operation)),
    shellQuote(site.url(address)),
  ];
  return words.join(' ');
}

/** The example of the body, or its required fields without values; undefined: it has none. */
function bodyOf(operation: Operation, models: RequestProps['models']): string | undefined {
  const content = operation.requestBody?.content?.[json];
  if (!content) return undefined;
  if (content.example !== undefined) return JSON.stringify(content.example);
  const name = content.schema?.$ref?.split('/').at(-1);
  const schema = name ? models.get(name) : content.schema;
  if (schema?.type === 'array') return '[]';
  const required = (schema?.required ?? []).map((field) => [field, blankOf(schema?.properties?.[field])]);
  return JSON.stringify(Object.fromEntries(required));
}

const blanks: Readonly<Record<string, unknown>> = { boolean: false, integer: 0, number: 0, array: [], object: {} };
const blankOf = (schema: Schema | undefined): unknown => blanks[schema?.type ?? ''] ?? '';

/** Words of the command that send a file. */
function uploadOf({ requestBody }: Operation): string[] {
  const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  if (!type) return [];
  if (type !== 'multipart/form-data') return ['-H', shellQuote(`Content-Type: ${type}`), '--data-binary', '@FILE'];
  const fields = Object.entries(content?.schema?.properties ?? {});
  const [field = 'attachment'] = fields.find(([, { format }]) => format === 'binary') ?? fields[0] ?? [];
  return ['-F', `${field}=@FILE`];
}

function TryIt({ method, address, operation, models, site, isSignedIn }: RequestProps) {
  const body = bodyOf(operation, models);
  const fields = (operation.parameters ?? []).filter((one) => one.in === 'path' || one.in === 'query');
  return (
    <details class="api-try">
      <summary class="btn btn-sm">{t('api.try')}</summary>
      <form
        class="Box p-3 mt-2"
        data-api-request
        data-method={method.toUpperCase()}
        data-address={site.path(address)}
        data-csrf={csrfToken()}
      >
        <p class="note mt-0">
          {!isSignedIn ? t('api.tryAnonymous') : method === 'get' ? t('api.tryNote') : t('api.tryChanges')}
        </p>
        {fields.map((one) => (
          <div class="form-group" key={one.in + one.name}>
            <label class="f6" for={`try-${one.name}`}>
              {one.name}
            </label>{' '}
            <input
              class="form-control input-sm"
              id={`try-${one.name}`}
              name={one.name}
              data-in={one.in}
              required={one.in === 'path'}
              autocomplete="off"
            />
          </div>
        ))}
        {body === undefined ? null : (
          <div class="form-group">
            <label class="f6" for="try-body">
              {t('api.body')}
            </label>
            <textarea class="form-control width-full text-mono f6" id="try-body" rows={8} spellcheck={false}>
              {JSON.stringify(JSON.parse(body), null, 2)}
            </textarea>
          </div>
        )}
        <button class="btn btn-primary" type="submit">
          {t('api.send')}
        </button>
        <output class="api-answer text-mono f6" aria-live="polite" />
      </form>
      <IslandTexts
        name="api-request"
        texts={{ sending: t('api.sending'), failed: t('api.failed'), cut: t('api.cut') }}
      />
    </details>
  );
}
