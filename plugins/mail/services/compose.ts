import { textOf } from '@mortise/plugin-sdk';
import type { Mail, MailPart, MailTopic } from '../contract/mail.js';
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
  /** Answers to it are taken. */
  readonly isAnswerable?: boolean;
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

/** What was written in Markdown: code, quotations and tables as on pages, in colours for light and dark. */
const styles = `pre{padding:12px;border:1px solid #8c959f;border-radius:6px;white-space:pre-wrap;word-break:break-word}
code,pre{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:13px}
p code,li code,td code{padding:2px 4px;border-radius:4px;background:rgba(128,128,128,.2)}
blockquote{margin:0 0 16px;padding:0 12px;border-left:4px solid #8c959f}
table{border-collapse:collapse}th,td{padding:4px 8px;border:1px solid #8c959f}
img{max-width:100%}`;

const topicHtml = ({ scope, title, url }: MailTopic): string =>
  `<div style="padding-bottom:8px;margin-bottom:16px;border-bottom:1px solid #8c959f"><div style="font-size:12px">${escaped(scope)}</div><a href="${escaped(url)}" style="font-size:16px;font-weight:600;text-decoration:none">${escaped(title)}</a></div>\n`;

/** Both forms of a mail, with the site's name below. To be called in the receiver's language. */
export function compose({ topic, body, reason }: Pick<Mail, 'topic' | 'body' | 'reason'>, frame: Frame): Composed {
  const { siteName, siteUrl, unsubscribe, isAnswerable } = frame;
  const sentBy = t('footer.sentBy', { site: siteName });
  const why = reason === undefined ? '' : textOf(reason);
  const because = why && t('footer.reason', { reason: why });
  const answer = isAnswerable ? t('footer.answer') : '';
  const footer = `${[because, answer].map((line) => line && `${line}\n`).join('')}${sentBy}\n${siteUrl}${unsubscribe ? `\n${t('footer.unsubscribe')}: ${unsubscribe}` : ''}`;
  const away = unsubscribe ? ` · <a href="${escaped(unsubscribe)}">${escaped(t('footer.unsubscribe'))}</a>` : '';
  return {
    // "-- " on a line of its own begins what mail programs leave out of answers
    text: `${topic ? `${topic.scope}: ${topic.title}\n\n` : ''}${body.map(partText).join('\n\n')}\n\n-- \n${footer}\n`,
    html: `<!doctype html>
<html lang="${escaped(frame.language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${escaped(frame.subject)}</title>
<style>
${styles}
</style>
</head>
<body style="margin:0;padding:24px;font-family:-apple-system,'Segoe UI',sans-serif;font-size:14px;line-height:1.5">
<div style="max-width:600px;margin:0 auto">
${topic ? topicHtml(topic) : ''}${body.map(partHtml).join('\n')}
<hr style="border:0;border-top:1px solid #8c959f;margin:24px 0 12px">
<p style="font-size:12px">${[because, answer].map((line) => line && `${escaped(line)}<br>`).join('')}<a href="${escaped(siteUrl)}">${escaped(sentBy)}</a>${away}</p>
</div>
</body>
</html>
`,
  };
}
