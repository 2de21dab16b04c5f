import type { AnsiUp } from 'ansi_up';
import type { VNode } from 'preact';
import { FragmentCache } from '@mortise/plugin-sdk';
import type { LogLine } from '../../contract/logs.js';
import { t } from '../../texts/index.js';

interface Group {
  readonly title: LogLine;
  readonly lines: LogLine[];
}
type Entry = LogLine | Group;

const marker = /^(?:##\[|::)(group|endgroup|error|warning|notice|debug|command)(?:\s[^:\]]{0,500})?(?:\]|::)/;
const isGroup = (entry: Entry): entry is Group => 'title' in entry;

/** Lines between `##[group]` and `##[endgroup]` together; groups do not nest. */
export function groupLines(lines: readonly LogLine[]): Entry[] {
  const entries: Entry[] = [];
  let open: Group | undefined;
  for (const line of lines) {
    const kind = marker.exec(line.message)?.[1];
    if (kind === 'group') entries.push((open = { title: line, lines: [] }));
    else if (kind === 'endgroup') open = undefined;
    else if (open) open.lines.push(line);
    else entries.push(line);
  }
  return entries;
}

/** HTML of one line; colours go on in the next. */
const htmlOf = (ansi: AnsiUp, message: string): string => ansi.ansi_to_html(message.replace(marker, ''));

const Line = ({ line, ansi }: { readonly line: LogLine; readonly ansi: AnsiUp }): VNode => {
  const kind = marker.exec(line.message)?.[1];
  const id = `L${line.index + 1}`;
  return (
    <div class={`log-line${kind ? ` log-${kind}` : ''}`} id={id}>
      <a class="log-number" href={`#${id}`} aria-label={t('log.line', { number: line.index + 1 })}>
        {line.index + 1}
      </a>
      <time class="log-time" dateTime={new Date(line.timestamp * 1000).toISOString()}>
        {new Date(line.timestamp * 1000).toISOString().slice(11, 23)}
      </time>
      <span class="log-text" dangerouslySetInnerHTML={{ __html: htmlOf(ansi, line.message) || ' ' }} />
    </div>
  );
};

/** Makes HTML of colours in logs. The library is loaded with the first log, not at the start. */
export type AnsiRendererFactory = () => AnsiUp;
export const loadAnsiRenderer = async (): Promise<AnsiRendererFactory> => {
  const { AnsiUp: Library } = await import('ansi_up');
  return () => new Library();
};

interface LogLinesProps {
  readonly lines: readonly LogLine[];
  readonly colours: AnsiRendererFactory;
}

/** Characters of lines that are drawn once. */
const maxCached = 20_000;

/** Lines of a log, groups folded. Short logs are rendered once for all readers. */
export function LogLines({ lines, colours }: LogLinesProps): VNode {
  const size = lines.reduce((sum, { message }) => sum + message.length + 40, 0);
  if (lines.length === 0 || size > maxCached) return <RenderedLines {...{ lines, colours }} />;
  const by = JSON.stringify(lines.map(({ index, timestamp, message }) => [index, timestamp, message]));
  return (
    <FragmentCache name="actions.lines" cacheKey={by}>
      {() => <RenderedLines {...{ lines, colours }} />}
    </FragmentCache>
  );
}

function RenderedLines({ lines, colours }: LogLinesProps): VNode {
  const ansi = colours();
  ansi.use_classes = true;
  // addresses in a log are anybody's words
  ansi.url_allowlist = {};
  return (
    <>
      {groupLines(lines).map((entry) =>
        isGroup(entry) ? (
          <details key={entry.title.index} class="log-group">
            <summary class="log-line" id={`L${entry.title.index + 1}`}>
              <span class="log-text">{entry.title.message.replace(marker, '') || t('log.group')}</span>
            </summary>
            {entry.lines.map((line) => (
              <Line key={line.index} line={line} ansi={ansi} />
            ))}
          </details>
        ) : (
          <Line key={entry.index} line={entry} ansi={ansi} />
        ),
      )}
    </>
  );
}
