import { defineTexts } from '@mortise/plugin-sdk';
import { en } from './en.js';
import { en as enPages } from './pages/en.js';
import { en as enSettings } from './settings/en.js';

export const t = defineTexts('actions', { ...en, ...enSettings, ...enPages }, new URL('./', import.meta.url));
