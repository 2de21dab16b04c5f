import {
  chatMessage,
  chatStyles,
  cutLines,
  cutText,
  jsonRequest,
  writeCommits,
  writeLine,
  type WebhookKind,
} from '@mortise/webhooks/api';

const maxBytes = 16_000;

/** Opens a page in the browser, not in the window of the chat. */
const outside = (url: string) => `dingtalk://dingtalkclient/page/link?pc_slide=false&url=${encodeURIComponent(url)}`;

/** A card with one button. */
export const dingtalkKind: WebhookKind = {
  key: 'dingtalk',
  label: 'DingTalk',
  icon: 'comment-discussion',
  order: 40,
  signed: true,
  jsonOnly: true,
  request(delivery) {
    const message = chatMessage(delivery);
    if (!message) return undefined;
    const { commits, body, topic } = message;
    const headline = writeLine([...message.headline, ...message.by], chatStyles.plain);
    const isShort = topic === 'issue' || topic === 'pull' || topic === 'comment';
    return jsonRequest(delivery, {
      msgtype: 'actionCard',
      actionCard: {
        text: commits.length
          ? cutLines(writeCommits(commits, chatStyles.markdown), maxBytes).replaceAll('\n', '  \n')
          : cutText(body ? `${headline}\n\n${body}` : headline, maxBytes),
        title: isShort ? message.subject : headline,
        hideAvatar: '0',
        singleTitle:
          topic === 'ref' ? `${message.view} ${writeLine(message.facts[0]!.value, chatStyles.plain)}` : message.view,
        singleURL: outside(message.url),
      },
    });
  },
};
