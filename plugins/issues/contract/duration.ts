const unit = (count: number, word: string): string => (count ? `${count} ${word}${count === 1 ? '' : 's'}` : '');

/** As the REST surface and the timeline have it: `1 hour 30 minutes`; in English, for clients read it. */
export function durationText(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  const parts = [unit(Math.floor(minutes / 60), 'hour'), unit(minutes % 60, 'minute')].filter(Boolean);
  return parts.join(' ') || unit(seconds, 'second') || '0 seconds';
}
