export const en = {
  'image.alt': 'Picture with {count} digits',
  'image.label': 'Digits in the picture',
  'image.note': 'This keeps programs out. If you cannot read the picture, ask an administrator of this site.',
  'widget.needsScripts': 'This check needs JavaScript.',
  'error.unavailable': 'The captcha could not be checked. Try again later.',
} as const;
