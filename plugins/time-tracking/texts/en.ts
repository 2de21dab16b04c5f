export const en = {
  'error.needsWrite': 'Only those who may write to this repository can track time.',
  'error.notRunning': 'No stopwatch is running on this issue.',
  'error.off': 'Time tracking is switched off.',
  'error.otherTimes': 'You cannot see or change the times of others here.',
  'error.running': 'A stopwatch is already running on this issue.',
  'error.time': '{field} must be a date and time (RFC 3339), such as 2030-01-31T12:00:00Z.',
} as const;
