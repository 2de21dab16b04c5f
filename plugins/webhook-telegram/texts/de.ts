import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  token: 'Bot-Token',
  chat: 'Chat-ID',
  thread: 'Thread-ID',
  threadHelp: 'Optional. Das Thema einer Gruppe.',
  needed: 'Gib das Bot-Token und die Chat-ID ein.',
};
