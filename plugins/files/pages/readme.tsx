import { icon, type PointReader } from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import { at, type RevisionView } from '@mortise/history/api';
import { MarkupBody, type Markup, type Viewer } from '@mortise/markup/api';
import type { MediaSource } from '../contract/files.js';
import { contentOf } from '../services/media.js';
import { bytesOf } from '../services/serve-blob.js';
import { findReadme } from '../services/readme.js';
import { decodeText } from '@mortise/git/api';

const maxReadme = 512 << 10;

/** The readme of the folder that the view shows; null: it has none, or one that is too large. */
export async function readmeOf(
  { markup, media }: { readonly markup: Markup; readonly media: PointReader<MediaSource> },
  view: RevisionView,
  viewer: Viewer,
  before = '',
): Promise<VNode | null> {
  const file = await findReadme(view.git, view.revision.commit, view.path, (name) => markup.canRender(name));
  if (!file || !(await view.git.info(file.oid))) return null;
  const content = await contentOf(media, view.git, file.oid);
  if (content.size > maxReadme) return null;
  const { text } = decodeText(await bytesOf(content));
  // links within the text lead from where it lies, not from the symbolic link to it
  const slash = file.path.lastIndexOf('/');
  const folder = file.path.slice(0, Math.max(slash, 0));
  const html = await markup.renderFile(file.path.slice(slash + 1), text, {
    viewer,
    linkBase: at(view, 'src', folder),
    imageBase: at(view, 'raw', folder),
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
        <MarkupBody class="Box-body px-md-5" html={html} outline />
      )}
    </section>
  );
}
