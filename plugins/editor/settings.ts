import { Joi } from '@mortise/plugin-sdk';

export interface UploadSettings {
  ENABLED: boolean;
  ALLOWED_TYPES: string;
  FILE_MAX_SIZE: number;
  MAX_FILES: number;
}

/** `[repository.upload]` */
export const uploadSettings = Joi.object<UploadSettings, true>({
  ENABLED: Joi.boolean().default(true).description('Files can be uploaded into repositories in the browser'),
  ALLOWED_TYPES: Joi.string()
    .allow('')
    .default('')
    .description('File endings (.md) or media types (image/*), separated by commas; empty: all'),
  FILE_MAX_SIZE: Joi.number().integer().min(1).default(50).description('Largest file in MiB'),
  MAX_FILES: Joi.number().integer().min(1).default(5).description('Most files in one upload'),
});

/** Is a file of this name and media type among the allowed? `.md`, `text/plain`, `image/*`; an empty list allows all. */
export function isAllowedType(allowed: string, fileName: string, contentType: string): boolean {
  const list = allowed
    .toLowerCase()
    .split(/[\s,|]+/)
    .filter(Boolean);
  if (list.length === 0) return true;
  const name = fileName.toLowerCase();
  const type = contentType.toLowerCase().split(';')[0]!.trim();
  return list.some((one) => {
    if (one === '*/*' || one === '*') return true;
    if (one.startsWith('.')) return name.endsWith(one);
    return one.endsWith('/*') ? type.startsWith(one.slice(0, -1)) : type === one;
  });
}
