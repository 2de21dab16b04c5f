import { defineTexts } from '@mortise/plugin-sdk';
import { en } from './en.js';

export const t = defineTexts('oauth2-provider', en, new URL('./', import.meta.url));
