import {
  chatStyles,
  cutLines,
  cutText,
  fullLine,
  writeCommits,
  writeLine,
  type ChatMessage,
} from '@mortise/webhooks/api';

const maxBytes = 12_000;

const bodyOf = ({ commits, body }: ChatMessage): string =>
  commits.length
    ? cutLines(writeCommits(commits, chatStyles.markdown), maxBytes).replaceAll('\n', '\n\n')
    : cutText(body, maxBytes);

const factsOf = ({ repository, fields: facts }: ChatMessage): { name: string; value: string }[] => [
  ...(repository.name
    ? [{ name: 'Repository:', value: chatStyles.markdown.link(repository.name, repository.url) }]
    : []),
  ...facts.map(({ name, value }) => ({ name, value: writeLine(value, chatStyles.markdown) })),
];

/** The card that connectors take. */
export function messageCard(message: ChatMessage): object {
  const title = writeLine(message.headline, chatStyles.inert);
  return {
    '@type': 'MessageCard',
    '@context': 'https://schema.org/extensions',
    themeColor: message.colour.toString(16).padStart(6, '0'),
    title,
    summary: title,
    sections: [
      {
        activityTitle: '',
        activitySubtitle: chatStyles.markdown.text(message.sender.name),
        activityImage: message.sender.avatar,
        text: bodyOf(message),
        facts: factsOf(message),
      },
    ],
    potentialAction: [{ '@type': 'OpenUri', name: message.view, targets: [{ os: 'default', uri: message.url }] }],
  };
}

/** The card in an envelope that the trigger of a workflow takes. */
export function adaptiveCard(message: ChatMessage): object {
  const text = bodyOf(message);
  return {
    type: 'message',
    summary: writeLine(message.headline, chatStyles.inert),
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          msteams: { width: 'Full' },
          body: [
            {
              type: 'TextBlock',
              size: 'Medium',
              weight: 'Bolder',
              wrap: true,
              text: writeLine(fullLine(message), chatStyles.markdown),
            },
            ...(text ? [{ type: 'TextBlock', wrap: true, text }] : []),
            {
              type: 'FactSet',
              facts: factsOf(message).map(({ name, value }) => ({ title: name, value })),
            },
          ],
          actions: [{ type: 'Action.OpenUrl', title: message.view, url: message.url }],
        },
      },
    ],
  };
}
