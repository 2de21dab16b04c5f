export const en = {
  token: 'Bot token',
  chat: 'Chat ID',
  thread: 'Thread ID',
  threadHelp: 'Optional. The topic of a group.',
  needed: 'Enter the bot token and the chat ID.',
} as const;
