import { defineTexts } from '@mortise/plugin-sdk';
import { en } from './en.js';

export const t = defineTexts('activity-events', en, new URL('./', import.meta.url));
