import type { ComponentChildren, VNode } from 'preact';
import { formatSize, icon, ChunkedRender, IslandTexts } from '@mortise/plugin-sdk';
import type { Markup, Viewer } from '@mortise/markup/api';
import { at, markBidi, type RevisionView } from '@mortise/history/api';
import { bounded, hasHiddenDirections, maxLines } from '../services/text.js';
import { t } from '../texts/index.js';

const linesOfPiece = 400;

/** Lines with anchors `#L3`; `shown` has the last word on the HTML of each. */
function CodeLines({
  lines,
  shown = (line) => line,
}: {
  lines: readonly string[];
  shown?: (line: string) => string;
}): VNode {
  const pieces = function* () {
    // the message is put together once, not for each of many lines
    const [before = '', after = ''] = t('line', { line: '\0' }).split('\0');
    for (let from = 0; from < lines.length; from += linesOfPiece) {
      let html = '';
      for (const [index, line] of lines.slice(from, from + linesOfPiece).entries()) {
        const number = from + index + 1;
        html += `<tr id="L${number}"><td class="blob-num"><a href="#L${number}" data-line="${number}" tabindex="-1" aria-label="${before}${number}${after}"></a></td><td class="blob-code">${shown(line) || '\n'}</td></tr>`;
      }
      yield { __html: html };
    }
  };
  return (
    <div class="code-scroll">
      <table class="code-lines text-mono f6" data-code-lines>
        <tbody>
          <ChunkedRender chunks={pieces} />
        </tbody>
      </table>
    </div>
  );
}

interface SourceProps {
  readonly view: RevisionView;
  readonly text: string;
  /** The text is the beginning of a larger one. */
  readonly isPart: boolean;
}

/** The lines of a text in the colours of its language. */
export async function sourceBody({
  markup,
  name,
  viewer,
  ...shown
}: SourceProps & { readonly markup: Markup; readonly name: string; readonly viewer: Viewer }): Promise<VNode> {
  const { text, ...cut } = bounded(shown.text);
  const { lines } = await markup.highlight(name, text, viewer);
  return <Source {...shown} lines={lines} cut={cut} />;
}

function Source({
  view,
  text,
  isPart,
  lines,
  cut,
}: SourceProps & { lines: readonly string[]; cut: { readonly lines: number; readonly isCut: boolean } }): VNode {
  const isTurned = hasHiddenDirections(text);
  const mark = (line: string) => markBidi(line, (name) => t('file.bidiCharacter', { name }).replaceAll('"', '&quot;'));
  const link = (children: ComponentChildren) => <a href={at(view, 'raw')}>{children}</a>;
  return (
    <div>
      {isTurned ? (
        <p class="flash flash-warn rounded-0 mb-0">
          {icon('alert')} {t('file.bidi')}
        </p>
      ) : null}
      {lines.length === 0 || text === '' ? (
        <p class="p-3 mb-0 color-fg-muted">{t('file.empty')}</p>
      ) : (
        <>
          <IslandTexts name="folding" texts={{ fold: t('file.fold', { from: '{from}', to: '{to}' }) }} />
          <CodeLines lines={lines} shown={isTurned ? mark : undefined} />
        </>
      )}
      {isPart ? (
        <p class="p-3 mb-0 border-top">{t.rich('file.firstPart', { link })}</p>
      ) : cut.isCut ? (
        <p class="p-3 mb-0 border-top">
          {cut.lines > maxLines
            ? t.rich('file.firstLines', { shown: maxLines, total: cut.lines, link })
            : t.rich('file.longLines', { link })}
        </p>
      ) : null}
    </div>
  );
}

/** Content that the browser shows by itself; undefined for what it cannot. `source` gives the bytes. */
export function mediaBody({ type, name, source }: { type: string; name: string; source: string }): VNode | undefined {
  if (type.startsWith('image/'))
    return (
      <div class="Box-body text-center code-checkered">
        <img class="code-media" src={source} alt={name} />
      </div>
    );
  if (type.startsWith('video/') || (type === 'application/ogg' && /\.og[vm]$/i.test(name)))
    return (
      <div class="Box-body text-center">
        <video class="code-media code-video" src={source} controls preload="metadata" aria-label={name} />
      </div>
    );
  if (type.startsWith('audio/') || type === 'application/ogg')
    return (
      <div class="Box-body">
        <audio class="width-full" src={source} controls preload="metadata" aria-label={name} />
      </div>
    );
  if (type === 'application/pdf') return <iframe class="code-document" src={source} title={name} />;
  return undefined;
}

export function OpaqueBody({ view, isText, size }: { view: RevisionView; isText: boolean; size: number }): VNode {
  const shown = formatSize(size);
  return (
    <div class="blankslate">
      {icon('file-binary', { size: 24 })}
      <p class="mt-2">{isText ? t('file.tooLarge', { size: shown }) : t('file.binary', { size: shown })}</p>
      <a class="btn" href={at(view, 'raw')} download>
        {icon('download')} {t('file.download')}
      </a>
    </div>
  );
}
