import { defineTexts } from '../texts.js';
import { de } from './de.js';
import { en } from './en.js';
import { zhCN } from './zh-CN.js';

export const t = defineTexts('sdk', en, { de, 'zh-CN': zhCN });
