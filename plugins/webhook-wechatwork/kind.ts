import {
  chatMessage,
  chatStyles,
  cutLines,
  cutText,
  fullLine,
  jsonRequest,
  withoutLinks,
  withoutMentions,
  writeCommits,
  writeLine,
  type ChatMessage,
  type WebhookKind,
} from '@mortise/webhooks/api';

/** What such a robot takes. */
const maxBytes = 4096;

function contentOf(message: ChatMessage): string {
  const { markdown } = chatStyles;
  const headline = cutText(writeLine(fullLine(message), withoutLinks(markdown)), 1024);
  const { commits, topic, body, subject, url } = message;
  const isLinked = topic === 'issue' || topic === 'comment' || topic === 'release' || topic === 'other';
  return cutLines(
    [
      headline,
      ...(isLinked ? [markdown.link(cutText(subject, 512), url)] : []),
      ...writeCommits(commits, markdown),
      ...(body
        ? cutText(withoutMentions(body), 2048)
            .split(/\r?\n/)
            .map((line) => `> ${line}`)
        : []),
    ],
    maxBytes,
  );
}

/** A text in the Markdown of WeCom. */
export const wechatworkKind: WebhookKind = {
  key: 'wechatwork',
  label: 'WeCom (WeChat Work)',
  icon: 'comment',
  order: 90,
  signed: true,
  jsonOnly: true,
  request(delivery) {
    const message = chatMessage(delivery);
    if (!message) return undefined;
    return jsonRequest(delivery, { msgtype: 'markdown', markdown: { content: contentOf(message) } });
  },
};
