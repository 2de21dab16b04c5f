type SubmittedForm = Readonly<Record<string, unknown>> | undefined;

/** What a refused form held, when it is the one with that field. */
export const sentWith = (sent: unknown, field: string): SubmittedForm =>
  typeof sent === 'object' && sent !== null && field in sent ? (sent as Record<string, unknown>) : undefined;

export const textIn = (sent: SubmittedForm, field: string, otherwise = ''): string =>
  sent ? String(sent[field] ?? '') : otherwise;

export const tickIn = (sent: SubmittedForm, field: string, otherwise = false): boolean =>
  sent ? sent[field] === 'true' : otherwise;
