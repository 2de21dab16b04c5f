import { definePoint, type Keyed } from '@mortise/plugin-sdk';

/** What lists make of a description, where something is there that renders texts; inside this plugin only. */
export interface DescriptionText extends Keyed {
  /** Plain text. */
  show(description: string): string;
}
export const descriptionTexts = definePoint.keyed<DescriptionText>('repositories.descriptionTexts');
