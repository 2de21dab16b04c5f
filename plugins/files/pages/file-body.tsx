import type { VNode } from 'preact';
import { formatSize, icon } from '@mortise/plugin-sdk';
import type { Markup, Viewer } from '@mortise/markup/api';
import { bounded, hasHiddenDirections, maxLines } from '../services/text.js';
import { at, markBidi, type RevisionView } from '@mortise/history/api';

/** Lines with anchors `#L3`. */
export function CodeLines({ lines }: { lines: readonly string[] }): VNode {
  const html = lines
    .map(
      (line, index) =>
        `<tr id="L${index + 1}"><td class="blob-num"><a href="#L${index + 1}" data-line="${index + 1}" tabindex="-1" aria-label="Line ${index + 1}"></a></td><td class="blob-code">${line || '\n'}</td></tr>`,
    )
    .join('');
  return (
    <div class="code-scroll">
      <table class="code-lines text-mono f6" data-code-lines>
        <tbody dangerouslySetInnerHTML={{ __html: html }} />
      </table>
    </div>
  );
}

export function HiddenDirections({ text }: { text: string }): VNode | null {
  return hasHiddenDirections(text) ? (
    <p class="flash flash-warn rounded-0 mb-0">
      {icon('alert')} The text holds characters that turn the direction of writing: it may read otherwise than it runs.
    </p>
  ) : null;
}

export async function SourceBody({
  markup,
  name,
  text,
  view,
  viewer,
  isPart = false,
}: {
  markup: Markup;
  name: string;
  text: string;
  view: RevisionView;
  viewer: Viewer;
  /** The text is the beginning of a larger one. */
  isPart?: boolean;
}) {
  const shown = bounded(text);
  const { lines } = await markup.highlight(name, shown.text, viewer);
  return (
    <div>
      <HiddenDirections text={text} />
      {lines.length === 0 || text === '' ? (
        <p class="p-3 mb-0 color-fg-muted">The file is empty.</p>
      ) : (
        <CodeLines lines={hasHiddenDirections(text) ? lines.map((line) => markBidi(line, (name) => name)) : lines} />
      )}
      {isPart ? (
        <p class="p-3 mb-0 border-top">
          The file is large: only its first part is shown. <a href={at(view, 'raw')}>View raw</a>
        </p>
      ) : shown.isCut ? (
        <p class="p-3 mb-0 border-top">
          {shown.lines > maxLines ? `Only ${maxLines} of ${shown.lines} lines are shown. ` : 'Long lines are cut. '}
          <a href={at(view, 'raw')}>The whole file</a>
        </p>
      ) : null}
    </div>
  );
}

/** Content that the browser shows by itself; undefined for what it cannot. `source` gives the bytes. */
export function MediaBody({ type, name, source }: { type: string; name: string; source: string }): VNode | undefined {
  if (type.startsWith('image/'))
    return (
      <div class="Box-body text-center code-checkered">
        <img src={source} alt={name} style="max-width: 100%" />
      </div>
    );
  if (type.startsWith('video/') || (type === 'application/ogg' && /\.og[vm]$/i.test(name)))
    return (
      <div class="Box-body text-center">
        <video src={source} controls preload="metadata" style="max-width: 100%; max-height: 80vh" aria-label={name} />
      </div>
    );
  if (type.startsWith('audio/') || type === 'application/ogg')
    return (
      <div class="Box-body">
        <audio src={source} controls preload="metadata" style="width: 100%" aria-label={name} />
      </div>
    );
  if (type === 'application/pdf')
    return <iframe src={source} title={name} style="display: block; width: 100%; height: 85vh; border: 0" />;
  return undefined;
}

export function OpaqueBody({ view, why, size }: { view: RevisionView; why: string; size: number }): VNode {
  return (
    <div class="blankslate">
      {icon('file-binary', { size: 24 })}
      <p class="mt-2">
        {why} ({formatSize(size)})
      </p>
      <a class="btn" href={at(view, 'raw')} download>
        {icon('download')} Download
      </a>
    </div>
  );
}
