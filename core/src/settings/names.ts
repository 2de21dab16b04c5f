/** A setting that holds names separated by commas or spaces. */
export const names = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);
