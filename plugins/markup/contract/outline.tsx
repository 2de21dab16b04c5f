import type { VNode } from 'preact';
import { icon, Menu } from '@mortise/plugin-sdk';
import { t } from '../texts/index.js';
import { unescapeHtml } from './escape.js';

interface Heading {
  /** From 0, counted from the highest that is there. */
  readonly level: number;
  readonly id: string;
  readonly text: string;
}

const maxHeadings = 200;
/** A text with fewer needs no outline. */
const minHeadings = 3;

/** Headings of rendered HTML. */
export function headingsOf(html: string): Heading[] {
  const headings = [...html.matchAll(/<h([1-6])\b[^>]*\bid="([^"]*)"[^>]*>([\s\S]*?)<\/h\1>/g)]
    .slice(0, maxHeadings)
    .map(([, level, id, inner]) => ({
      level: Number(level),
      id: unescapeHtml(id!),
      text: unescapeHtml(inner!.replace(/<annotation\b[^>]*>[^<]*<\/annotation>|<[^>]*>/g, '')).trim(),
    }))
    .filter((heading) => heading.text && heading.id);
  const top = Math.min(...headings.map((heading) => heading.level));
  return headings.map((heading) => ({ ...heading, level: heading.level - top }));
}

/** A button that unfolds the headings of a long text; nothing for a short one. */
export function Outline({ html }: { html: string }): VNode | null {
  const headings = headingsOf(html);
  if (headings.length < minHeadings) return null;
  return (
    <div class="markup-outline">
      <Menu button={icon('list-unordered')} label={t('outline')} class="btn btn-sm">
        <ul class="list-style-none">
          {headings.map(({ level, id, text }) => (
            <li>
              <a class={`dropdown-item markup-outline-${level}`} href={`#${encodeURIComponent(id)}`}>
                {text}
              </a>
            </li>
          ))}
        </ul>
      </Menu>
    </div>
  );
}
