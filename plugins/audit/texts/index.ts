import { defineTexts } from '@mortise/plugin-sdk';
import { de } from './de.js';
import { en } from './en.js';
import { zhCN } from './zh-CN.js';

export const t = defineTexts('audit', en, { de, 'zh-CN': zhCN });
