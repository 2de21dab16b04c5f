import { defineTexts } from '@mortise/plugin-sdk';
import { de } from './de.js';
import { en } from './en.js';
import { de as dePages } from './pages/de.js';
import { en as enPages } from './pages/en.js';
import { zhCN as zhPages } from './pages/zh-CN.js';
import { zhCN } from './zh-CN.js';

export const t = defineTexts(
  'projects',
  { ...en, ...enPages },
  { de: { ...de, ...dePages }, 'zh-CN': { ...zhCN, ...zhPages } },
);
