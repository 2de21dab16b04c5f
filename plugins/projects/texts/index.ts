import { defineTexts } from '@mortise/plugin-sdk';
import { en } from './en.js';
import { en as enPages } from './pages/en.js';

export const t = defineTexts('projects', { ...en, ...enPages }, new URL('./', import.meta.url));
