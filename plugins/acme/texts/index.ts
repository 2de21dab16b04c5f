import { defineTexts } from '@mortise/plugin-sdk';
import { en } from './en.js';

export const t = defineTexts('acme', en, new URL('./', import.meta.url));
