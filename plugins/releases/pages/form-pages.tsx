import {
  BadRequest,
  defineRoute,
  formatSize,
  Invalid,
  pageRoute,
  postRoute,
  Problem,
  reply,
  textOf,
  TooLarge,
  type Route,
  type RouteContext,
  type UploadedFile,
} from '@mortise/plugin-sdk';
import { editorIslands, markupIslands, type Markup } from '@mortise/markup/api';
import { repositoryResource, type RepositoryContext, type RepositoryPages } from '@mortise/repositories/api';
import { fileName, webAddress, type Attachment } from '@mortise/attachments/api';
import type { Release } from '../contract/releases.js';
import { releaseOfTag } from '../services/access.js';
import { ownerOf, releaseFiles } from '../services/files.js';
import { NoteRenderer } from '../services/notes.js';
import { encoded } from '../services/release-presenter.js';
import type { ReleaseRequest } from '../services/releases.js';
import type { ReleaseServices } from '../services/services.js';
import { ReleaseForm, type FormValues } from './form.js';
import { pageContextOf } from './release-card.js';
import { t } from '../texts/index.js';

type Context = RouteContext<RepositoryContext>;
type Fields = Readonly<Record<string, unknown>>;
const access = { actor: 'user', resource: repositoryResource, unit: 'releases', mode: 'write' } as const;
const maxOffered = 200;

const fieldOf = (fields: Fields, name: string): string => {
  const value = Array.isArray(fields[name]) ? (fields[name] as unknown[])[0] : fields[name];
  // Browsers send line ends of the network.
  return typeof value === 'string' ? value.replaceAll('\r\n', '\n') : '';
};
const filesOf = (fields: Fields): UploadedFile[] =>
  [fields.files]
    .flat()
    .filter((one): one is UploadedFile => typeof one === 'object' && one !== null && 'fileName' in one)
    .filter((file) => file.fileName !== '' || file.size > 0);
const valuesOf = (fields: Fields): FormValues => ({
  tagName: fieldOf(fields, 'tag_name').trim(),
  target: fieldOf(fields, 'target').trim(),
  tagMessage: fieldOf(fields, 'tag_message'),
  title: fieldOf(fields, 'title'),
  note: fieldOf(fields, 'note'),
  isPrerelease: fieldOf(fields, 'prerelease') === 'on',
  ...(fieldOf(fields, 'previous_tag') && { previousTag: fieldOf(fields, 'previous_tag').trim() }),
});

const hasFiles = (fields: Fields) => filesOf(fields).length > 0 || fieldOf(fields, 'external_url').trim() !== '';

const spare = (fields: Fields) => filesOf(fields).forEach((file) => file.destroy());

const asked = ({ actor }: Context): ReleaseRequest => ({ actor, source: 'web' });

/** The form of a release, with what becomes of the files that are sent with it. */
class ReleaseForms {
  readonly services: ReleaseServices;
  readonly #pages: RepositoryPages;
  readonly #notes: NoteRenderer;
  readonly #attachments: ReleaseServices['deps']['attachments'];
  readonly #maxFiles: number;
  readonly #maxBytes: number | undefined;

  constructor(services: ReleaseServices, markup: Markup, pages: RepositoryPages) {
    this.services = services;
    this.#pages = pages;
    this.#notes = new NoteRenderer(markup, services.deps.site);
    this.#attachments = services.deps.attachments;
    this.#maxFiles = services.settings.MAX_FILES;
    this.#maxBytes = this.#attachments.limits(releaseFiles).maxBytes;
  }

  repositoryPathOf({ resource: { repository } }: Context): string {
    return this.services.deps.site.path(`/${repository.ownerName}/${repository.name}`);
  }

  pageOf(context: Context, release: Release): string {
    return `${this.repositoryPathOf(context)}/releases/tag/${encoded(release.tagName)}`;
  }

  async filesOf(release: Release): Promise<readonly Attachment[]> {
    return (await this.#attachments.list(releaseFiles, [release.id])).get(release.id) ?? [];
  }

  get payload() {
    return {
      as: 'multipart',
      // what is a little too much is refused in the form, see checkFiles
      maxFiles: 2 * this.#maxFiles + 1,
      maxBytes: this.#maxBytes === undefined ? 0 : this.#maxBytes * this.#maxFiles + (6 << 20),
    } as const;
  }

  async show(
    context: Context,
    values: FormValues,
    more: { release?: Release; refusal?: Problem; preview?: boolean } = {},
  ) {
    const { repository } = context.resource;
    const { release, refusal } = more;
    const path = this.repositoryPathOf(context);
    const git = this.services.deps.git.open(repository.id);
    const branches = (await git.branches()).map((ref) => ref.name);
    const names = [repository.defaultBranch, ...branches.filter((name) => name !== repository.defaultBranch)];
    return this.#pages.page(pageContextOf(context), 'releases', {
      title: release ? t.later('form.edit', { title: release.title || release.tagName }) : t.later('form.new'),
      status: refusal ? refusal.status : 200,
      flash: refusal ? { kind: 'error', text: refusal.text, fields: refusal.inputs } : undefined,
      islands: [...markupIslands, ...editorIslands],
      body: (
        <ReleaseForm
          repository={`${repository.ownerName}/${repository.name}`}
          repositoryPath={path}
          action={`${path}/releases/${release ? `edit/${encoded(release.tagName)}` : 'new'}`}
          values={values}
          release={release}
          assets={release ? await this.filesOf(release) : []}
          branches={names.slice(0, maxOffered)}
          tags={(await git.tags())
            .slice(-maxOffered)
            .reverse()
            .map((ref) => ref.name)}
          preview={more.preview ? (await this.#notes.html(repository, values, { viewer: context })).html : undefined}
          maxFiles={this.#maxFiles}
          maxBytes={this.#maxBytes}
        />
      ),
    });
  }

  /** What is wrong with the files is said before anything is stored. */
  checkFiles(fields: Fields): void {
    const maxBytes = this.#maxBytes;
    const files = filesOf(fields);
    if (files.length > this.#maxFiles) throw BadRequest(t.later('error.files', { count: this.#maxFiles }));
    for (const file of files) {
      const name = fileName(file.fileName);
      this.#attachments.checkType(releaseFiles, name);
      if (maxBytes !== undefined && file.size > maxBytes)
        throw TooLarge(t.later('error.fileSize', { name, size: () => formatSize(maxBytes) }));
    }
    const url = fieldOf(fields, 'external_url').trim();
    if (url) fileName(fieldOf(fields, 'external_name') || url.replace(/[?#].*$/s, ''));
    if (url) webAddress(url);
  }

  async addFiles(release: Release, fields: Fields, actorId: number): Promise<void> {
    for (const file of filesOf(fields))
      await this.#attachments.upload(ownerOf(release), fileName(file.fileName), file, actorId);
    const url = fieldOf(fields, 'external_url').trim();
    if (!url) return;
    const name = fileName(fieldOf(fields, 'external_name') || url.replace(/[?#].*$/s, ''));
    await this.#attachments.addExternal(ownerOf(release), name, webAddress(url), actorId);
  }

  async changeFiles(release: Release, fields: Fields): Promise<void> {
    for (const asset of await this.filesOf(release)) {
      if (fieldOf(fields, `remove-${asset.id}`) === 'on') await this.#attachments.remove([asset.id]);
      else {
        const name = fieldOf(fields, `name-${asset.id}`);
        if (name && name !== asset.name) await this.#attachments.rename(asset, fileName(name, Invalid));
      }
    }
  }

  /** The form with notes from merged pull requests below those that are written. */
  async generate(context: Context, values: FormValues, release?: Release) {
    return this.attempt(context, values, release, async () => {
      const { body } = await this.services.notes.generate(context.resource, values);
      const note = [values.note.trimEnd(), body].filter(Boolean).join('\n\n');
      return this.show(context, { ...values, note, previousTag: values.previousTag ?? '' }, { release });
    });
  }

  /** A refusal is shown in the form, with what was written. */
  async attempt(context: Context, values: FormValues, release: Release | undefined, work: () => Promise<unknown>) {
    try {
      return await work();
    } catch (error) {
      if (!Problem.is(error) || error.status >= 500) throw error;
      return this.show(context, values, { release, refusal: error });
    } finally {
      spare(context.payload as Fields);
    }
  }
}

const newReleasePage = (forms: ReleaseForms) =>
  pageRoute('/{owner}/{repo}/releases/new', access, (context) =>
    forms.show(context, {
      tagName: typeof context.query.tag === 'string' ? context.query.tag.slice(0, 191) : '',
      target: '',
      tagMessage: '',
      title: '',
      note: '',
      isPrerelease: false,
    }),
  );

const createRelease = (forms: ReleaseForms) =>
  defineRoute({
    method: 'POST',
    path: '/{owner}/{repo}/releases/new',
    surface: 'page',
    access,
    payload: forms.payload,
    async handler(context) {
      const fields = context.payload as Fields;
      const values = valuesOf(fields);
      const action = fieldOf(fields, 'action');
      if (action === 'preview') {
        spare(fields);
        return forms.show(context, values, { preview: true });
      }
      if (action === 'generate') return forms.generate(context, values);
      return forms.attempt(context, values, undefined, async () => {
        const { repository } = context.resource;
        forms.checkFiles(fields);
        // Whoever is told of it finds its files: it is published when they are all there.
        const isDraft = action === 'draft' || hasFiles(fields);
        const made = await forms.services.releases.create(repository, { ...values, isDraft }, asked(context));
        try {
          await forms.addFiles(made, fields, context.actor.id);
          const out =
            isDraft && action !== 'draft'
              ? await forms.services.releases.edit(repository, made, { isDraft: false }, asked(context))
              : made;
          return reply.redirect(forms.pageOf(context, out));
        } catch (error) {
          if (!Problem.is(error)) throw error;
          const refusal = new Problem(error.code, t.later('error.keptAsDraft', { reason: () => textOf(error.text) }));
          return forms.show(context, values, { release: made, refusal });
        }
      });
    },
  });

const editReleasePage = (forms: ReleaseForms) =>
  pageRoute('/{owner}/{repo}/releases/edit/{tag*}', access, async (context) => {
    const release = await releaseOfTag(
      forms.services.reader,
      context.resource,
      context.params.tag ?? '',
      context.actor,
    );
    return forms.show(context, release, { release });
  });

const saveRelease = (forms: ReleaseForms) =>
  defineRoute({
    method: 'POST',
    path: '/{owner}/{repo}/releases/edit/{tag*}',
    surface: 'page',
    access,
    payload: forms.payload,
    async handler(context) {
      const release = await releaseOfTag(
        forms.services.reader,
        context.resource,
        context.params.tag ?? '',
        context.actor,
      );
      const fields = context.payload as Fields;
      const values = valuesOf(fields);
      const action = fieldOf(fields, 'action');
      if (action === 'preview') {
        spare(fields);
        return forms.show(context, values, { release, preview: true });
      }
      if (action === 'generate') return forms.generate(context, values, release);
      return forms.attempt(context, values, release, async () => {
        forms.checkFiles(fields);
        await forms.changeFiles(release, fields);
        await forms.addFiles(release, fields, context.actor.id);
        const { tagMessage, ...texts } = values;
        const changes = {
          ...texts,
          tagName: values.tagName || release.tagName,
          ...(release.isDraft ? { tagMessage } : {}),
          isDraft: action === 'draft',
        };
        const edited = await forms.services.releases.edit(
          context.resource.repository,
          release,
          changes,
          asked(context),
        );
        return reply.redirect(forms.pageOf(context, edited));
      });
    },
  });

const deleteRelease = (forms: ReleaseForms) =>
  postRoute('/{owner}/{repo}/releases/delete/{tag*}', access, async (context) => {
    const release = await releaseOfTag(
      forms.services.reader,
      context.resource,
      context.params.tag ?? '',
      context.actor,
    );
    const withTag = fieldOf(context.payload as Fields, 'delete_tag') === 'on';
    await forms.services.releases.delete(context.resource.repository, release, asked(context), withTag);
    return reply.redirect(`${forms.repositoryPathOf(context)}/releases`);
  });

/** Drafting, changing and deleting releases in the browser. */
export function formPages(releaseServices: ReleaseServices, markup: Markup, pages: RepositoryPages): Route[] {
  const forms = new ReleaseForms(releaseServices, markup, pages);
  return [
    newReleasePage(forms),
    createRelease(forms),
    editReleasePage(forms),
    saveRelease(forms),
    deleteRelease(forms),
  ];
}
