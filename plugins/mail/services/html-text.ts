import { Parser } from 'htmlparser2';

const unseen = new Set(['head', 'style', 'script', 'title', 'template']);
const blocks = new Set([
  'p',
  'div',
  'ul',
  'ol',
  'pre',
  'table',
  'tr',
  'blockquote',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
]);
const paragraphs = new Set(['p', 'ul', 'ol', 'pre', 'table', 'blockquote', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6']);
/** Elements without an end. */
const voids = new Set(['br', 'hr', 'img', 'input', 'link', 'meta', 'wbr', 'col', 'area', 'base', 'source']);
/** How mail programs mark what they quote, and signatures. */
const quoteClasses =
  /(?:^|\s)(?:gmail_quote|gmail_quote_container|gmail_attr|gmail_signature|gmail_extra|moz-cite-prefix|moz-signature|yahoo_quoted|protonmail_quote|protonmail_signature_block|zmail_extra)(?:\s|$)/;
/** Outlook marks the place behind which everything is quoted. */
const quoteIds =
  /^(?:x_)?(?:divRplyFwdMsg|appendonsend|mail-editor-reference-message-container|ms-outlook-mobile-signature|Signature)$/;

type Attributes = Readonly<Record<string, string>>;

const isQuote = (name: string, { class: classes = '', id = '', type }: Attributes): boolean =>
  (name === 'blockquote' && type === 'cite') || quoteClasses.test(classes) || quoteIds.test(id);

/** The text of a mail that has no other form, as Markdown; without what it quotes, where that is marked. */
export function htmlText(html: string): string {
  const parts: string[] = [];
  const links: { readonly href: string; readonly at: number }[] = [];
  let depth = 0;
  /** Depth of the element that is passed over with all that it holds. */
  let hiddenFrom = 0;
  let isOver = false;
  const parser = new Parser({
    onopentag(name, attributes) {
      if (!voids.has(name)) depth++;
      if (isOver || hiddenFrom) return;
      if (/divRplyFwdMsg|appendonsend/.test(attributes.id ?? '')) isOver = true;
      else if (unseen.has(name) || isQuote(name, attributes)) hiddenFrom = voids.has(name) ? 0 : depth;
      else if (name === 'br') parts.push('\n');
      else if (name === 'hr') parts.push('\n\n');
      else if (name === 'li') parts.push('\n- ');
      else if (blocks.has(name)) parts.push(paragraphs.has(name) ? '\n\n' : '\n');
      else if (name === 'a') links.push({ href: attributes.href ?? '', at: parts.length });
    },
    ontext(text) {
      if (!isOver && !hiddenFrom) parts.push(text.replace(/[ \t\r\n]+/g, ' '));
    },
    onclosetag(name) {
      if (voids.has(name)) return;
      if (hiddenFrom === depth) hiddenFrom = 0;
      else if (!isOver && !hiddenFrom) {
        if (blocks.has(name)) parts.push(paragraphs.has(name) ? '\n\n' : '\n');
        if (name === 'a') closeLink(parts, links.pop());
      }
      depth--;
    },
  });
  parser.end(html);
  return parts
    .join('')
    .replace(/[ \t]*\n[ \t]*/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

function closeLink(parts: string[], link: { readonly href: string; readonly at: number } | undefined): void {
  if (!link || !/^https?:\/\/[^\s()<>]+$/.test(link.href)) return;
  const label = parts.splice(link.at).join('').trim();
  const isPlain = !label || label === link.href || /[[\]\n]/.test(label);
  parts.push(isPlain ? label || link.href : `[${label}](${link.href})`);
}
