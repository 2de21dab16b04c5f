import { Readable } from 'node:stream';
import type { VNode } from 'preact';
import {
  contentDisposition,
  Csrf,
  pageRoute,
  FieldError,
  formRoute,
  Invalid,
  listHref,
  reply,
  TooLarge,
  type Flash,
  type Route,
  type UploadedFile,
} from '@mortise/plugin-sdk';
import { mustBeActive, repositoryPageContext, repositoryResource } from '@mortise/repositories/api';
import { maxImportBytes } from '../services/exchange-format.js';
import { repositoryPathOf, type ListContext, type PageDeps } from './page-context.js';
import { t } from '../texts/index.js';

/** What the list says after an import. */
export function importedFlash(query: unknown): Flash | undefined {
  const { imported, kept: preserved } = query as { readonly imported?: string; readonly kept?: string };
  const [made, left] = [Number(imported), Number(preserved ?? 0)];
  if (!imported || !Number.isSafeInteger(made) || !Number.isSafeInteger(left)) return undefined;
  return { kind: 'success', text: t.later('exchange.imported', { made, left }) };
}

async function textOf(file: unknown): Promise<string> {
  const refused = t.later('exchange.noFile');
  if (!(file instanceof Readable) || (file as UploadedFile).size === 0)
    throw Invalid(refused, { inputs: { file: refused } });
  if ((file as UploadedFile).size > maxImportBytes) throw TooLarge(t.later('exchange.tooLarge'));
  const chunks: Buffer[] = [];
  for await (const chunk of file) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

const ImportForm = ({ repositoryPath, schema }: { repositoryPath: string; schema: string }): VNode => (
  <form method="post" action={`${repositoryPath}/milestones/import`} encType="multipart/form-data">
    <h2 class="f3 mb-2">{t('exchange.import')}</h2>
    <p class="color-fg-muted">{t.rich('exchange.note', { format: <a href={schema}>{t('exchange.format')}</a> })}</p>
    <Csrf />
    <div class="form-group mt-0 mb-3">
      <div class="form-group-header">
        <label for="field-file">{t('exchange.file')}</label>
      </div>
      <input type="file" id="field-file" name="file" accept="application/json,.json" required />
      <FieldError of={{ name: 'file' }} />
    </div>
    <div class="d-flex gap-2">
      <button class="btn btn-primary" type="submit">
        {t('exchange.importButton')}
      </button>
      <a class="btn" href={`${repositoryPath}/milestones`}>
        {t('edit.cancel')}
      </a>
    </div>
  </form>
);

/** Milestones of a repository as a file, and from one (MIG-02). */
export function milestoneExchangePages({ issueServices, pages, site }: PageDeps): Route[] {
  const read = { actor: 'anyone', resource: repositoryResource, unit: ['issues', 'pulls'] } as const;
  const write = { ...read, actor: 'user', mode: 'write' } as const;
  const homeIn = ({ resource: { repository } }: ListContext) => repositoryPathOf(site, repository);
  const { exchange } = issueServices;
  const importPage = (context: ListContext, flash?: Flash) => {
    mustBeActive(context.resource);
    return pages.page(repositoryPageContext(context), context.resource.may('read', 'issues') ? 'issues' : 'pulls', {
      title: t.later('exchange.import'),
      ...(flash && { flash, status: 422 }),
      body: <ImportForm repositoryPath={homeIn(context)} schema={site.path('/-/schemas/milestone.json')} />,
    });
  };
  return [
    pageRoute('/{owner}/{repo}/milestones/export', read, ({ resource: { repository } }) =>
      reply
        .bytes(Readable.from(exchange.export(repository.id), { objectMode: false }), 'application/json; charset=utf-8')
        .header('content-disposition', contentDisposition('attachment', 'milestone.json')),
    ),
    pageRoute('/{owner}/{repo}/milestones/import', write, (context) => importPage(context)),
    formRoute(
      '/{owner}/{repo}/milestones/import',
      write,
      async (context, values) => {
        mustBeActive(context.resource);
        const { file } = values as { readonly file?: unknown };
        const milestones = exchange.read(await textOf(file));
        const made = await exchange.import(context.resource.repository.id, milestones);
        return listHref(`${homeIn(context)}/milestones`, {
          imported: String(made.length),
          kept: String(milestones.length - made.length),
        });
      },
      (context, _values, flash) => importPage(context, flash),
      { as: 'multipart', maxBytes: maxImportBytes + 64 * 1024 },
    ),
  ];
}
