import {
  chatMessage,
  chatStyles,
  cutLines,
  cutText,
  fullLine,
  jsonRequest,
  withoutLinks,
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
  icon: 'bell',
  order: 40,
  signed: true,
  jsonOnly: true,
  request(delivery) {
    const message = chatMessage(delivery);
    if (!message) return undefined;
    const { commits, body, topic } = message;
    const title = writeLine(fullLine(message), chatStyles.inert);
    const headline = writeLine(fullLine(message), withoutLinks(chatStyles.markdown));
    const isShort = topic === 'issue' || topic === 'pull' || topic === 'comment';
    return jsonRequest(delivery, {
      msgtype: 'actionCard',
      actionCard: {
        text: commits.length
          ? cutLines(writeCommits(commits, chatStyles.markdown), maxBytes).replaceAll('\n', '  \n')
          : cutText(body ? `${headline}\n\n${body}` : headline, maxBytes),
        title: isShort ? chatStyles.inert.text(message.subject) : title,
        hideAvatar: '0',
        singleTitle:
          topic === 'ref' ? `${message.view} ${writeLine(message.fields[0]!.value, chatStyles.inert)}` : message.view,
        singleURL: outside(message.url),
      },
    });
  },
};
