import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const zhCN: Translation<typeof en> = {
  'error.needsWrite': '只有可以写入该仓库的人才能记录时间。',
  'error.notRunning': '该工单上没有正在运行的计时器。',
  'error.off': '时间跟踪已关闭。',
  'error.otherTimes': '您不能在此查看或更改他人的时间。',
  'error.running': '该工单上已有计时器在运行。',
  'error.time': '{field} 必须是日期时间（RFC 3339），例如 2030-01-31T12:00:00Z。',
};
