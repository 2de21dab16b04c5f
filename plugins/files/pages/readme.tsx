import { icon } from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import { at, type RevisionView } from '@mortise/history/api';
import { MarkupBody, type Markup, type Viewer } from '@mortise/markup/api';
import { findReadme } from '../services/readme.js';
import { decodeText } from '@mortise/git/api';

const maxReadme = 512 << 10;

/** The readme of the folder that the view shows; null: it has none, or one that is too large. */
export async function readmeOf(markup: Markup, view: RevisionView, viewer: Viewer, before = ''): Promise<VNode | null> {
  const file = await findReadme(view.git, view.revision.commit, view.path, (name) => markup.canRender(name));
  if (!file || ((await view.git.info(file.oid))?.size ?? Infinity) > maxReadme) return null;
  const { text } = decodeText(await view.git.blob(file.oid));
  const html = await markup.renderFile(file.name, text, {
    viewer,
    linkBase: at(view, 'src', file.folder),
    imageBase: at(view, 'raw', file.folder),
    repository: `${view.repository.ownerName}/${view.repository.name}`,
  });
  return (
    <section class="Box" id="readme">
      <h2 class="Box-header f5 text-bold">
        {icon('book')}{' '}
        <a href={at(view, 'src', file.folder ? `${file.folder}/${file.name}` : file.name)}>
          {before}
          {file.name}
        </a>
      </h2>
      {html === undefined ? (
        <pre class="Box-body mb-0 code-wrap">{text}</pre>
      ) : (
        <MarkupBody class="Box-body px-md-5" html={html} />
      )}
    </section>
  );
}
