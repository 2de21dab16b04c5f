import { defineTexts } from '@mortise/plugin-sdk';
import { en } from './en.js';

export const t = defineTexts('quota', en, new URL('./', import.meta.url));
