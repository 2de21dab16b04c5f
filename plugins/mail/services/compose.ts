import { textOf } from '@mortise/plugin-sdk';
import type { MailPart } from '../contract/mail.js';
import { t } from '../texts/index.js';

/** The two forms of one body. */
interface Composed {
  readonly text: string;
  readonly html: string;
}

interface Frame {
  readonly subject: string;
  readonly siteName: string;
  readonly siteUrl: string;
  /** Tag for `<html lang>`. */
  readonly language: string;
  readonly unsubscribe?: string;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => entities[sign]!);

const button =
  'display:inline-block;padding:8px 16px;border-radius:6px;background:#1f883d;color:#ffffff;font-weight:600;text-decoration:none';

function partHtml(part: MailPart): string {
  if (typeof part === 'string' || typeof part === 'function')
    return `<p>${escaped(textOf(part)).replace(/\n/g, '<br>\n')}</p>`;
  if ('link' in part) {
    const href = escaped(part.link);
    return `<p><a href="${href}" style="${button}">${escaped(textOf(part.label))}</a></p>\n<p style="font-size:12px;word-break:break-all"><a href="${href}">${href}</a></p>`;
  }
  if ('quote' in part)
    return `<pre style="padding:12px;border:1px solid #8c959f;border-radius:6px;white-space:pre-wrap;word-break:break-word">${escaped(part.quote)}</pre>`;
  return textOf(part.html);
}

function partText(part: MailPart): string {
  if (typeof part === 'string' || typeof part === 'function') return textOf(part);
  if ('link' in part) return `${textOf(part.label)}:\n${part.link}`;
  return 'quote' in part ? part.quote.replace(/^/gm, '  ') : textOf(part.text);
}

/** Both forms of a body, with the site's name below. To be called in the receiver's language. */
export function compose(body: readonly MailPart[], frame: Frame): Composed {
  const { siteName, siteUrl, unsubscribe } = frame;
  const sentBy = t('footer.sentBy', { site: siteName });
  const footer = `${sentBy}\n${siteUrl}${unsubscribe ? `\n${t('footer.unsubscribe')}: ${unsubscribe}` : ''}`;
  const away = unsubscribe ? ` · <a href="${escaped(unsubscribe)}">${escaped(t('footer.unsubscribe'))}</a>` : '';
  return {
    // "-- " on a line of its own begins what mail programs leave out of answers
    text: `${body.map(partText).join('\n\n')}\n\n-- \n${footer}\n`,
    html: `<!doctype html>
<html lang="${escaped(frame.language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${escaped(frame.subject)}</title>
</head>
<body style="margin:0;padding:24px;font-family:-apple-system,'Segoe UI',sans-serif;font-size:14px;line-height:1.5">
<div style="max-width:600px;margin:0 auto">
${body.map(partHtml).join('\n')}
<hr style="border:0;border-top:1px solid #8c959f;margin:24px 0 12px">
<p style="font-size:12px"><a href="${escaped(siteUrl)}">${escaped(sentBy)}</a>${away}</p>
</div>
</body>
</html>
`,
  };
}
