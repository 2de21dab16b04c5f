import { defineTexts } from '../texts.js';
import { en } from './en.js';

export const t = defineTexts('sdk', en, new URL('./', import.meta.url));
